// A file of its own, so that only this of it is loaded with the first diff, and none of the languages.
export { createLowlight } from "lowlight";
