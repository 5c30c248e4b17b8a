export { Bell } from "./Bell";
export { NotificationsDialog } from "./NotificationsDialog";
export { News } from "./useNews";
