import { lazy } from "react";

export { ChangesSummary } from "./ChangesSummary";

/** Loaded when it is first opened: the diff brings a highlighter along. */
export const Changes = lazy(() => import("./Changes"));
