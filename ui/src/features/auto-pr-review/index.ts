export { LoopDetail } from "./LoopDetail";
