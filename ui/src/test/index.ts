export * from "./fixtures";
export { aProblem, fakeHost, type FakeAnswers, type FakeHost } from "./host";
export { renderUI, type RenderUI } from "./render";
export type { Scene } from "./scene";
