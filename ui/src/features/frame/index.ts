export { Frame } from "./Frame";
export { Stopped } from "./Stopped";
export { useInteractive } from "./useInteractive";
