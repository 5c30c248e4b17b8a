export { usePalette } from "./usePalette";
