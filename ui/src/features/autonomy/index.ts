export { AutoReviewSheet } from "./AutoReviewSheet";
export { LevelChoice } from "./LevelChoice";
export { LevelMenu } from "./LevelMenu";
export { LEVELS } from "./levels";
