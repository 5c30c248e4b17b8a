export { AutoReviewSheet } from "./AutoReviewSheet";
export { LevelMenu } from "./LevelMenu";
export { LEVELS } from "./levels";
