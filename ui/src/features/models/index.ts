export { useModelChanges, type Changes, type ModelRef } from "./changes";
export { ModelKey } from "./ModelKey";
export { ModelName } from "./ModelName";
export { ModelTest } from "./ModelTest";
export { DoctorLines } from "./DoctorLines";
export { ModelChecks } from "./ModelChecks";
