export * from "./fixtures";
export { anError, aProblem, fakeHost, type FakeAnswers, type FakeHost } from "./host";
export { renderUI } from "./render";
export type { Scene } from "./scene";
