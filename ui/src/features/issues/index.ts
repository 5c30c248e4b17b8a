export { Banners } from "./Banners";
export { IssueListHeader } from "./IssueListHeader";
export { IssuesView, type ListProps } from "./IssuesView";
export { ListSkeleton } from "./ListSkeleton";
export { Notices, useNotify } from "./Notices";
export { summaryOf, timeOf } from "./rows";
export { useStart } from "./useStart";
