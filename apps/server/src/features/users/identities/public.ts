export { listIdentities } from "./identities-store.ts";
export { isOfKindSql } from "./kinds-store.ts";
export {
  areMovingAcrossProjects,
  deleteLinksOf,
  insertLink,
  lockLinksOf,
  lockMovingLinkAcrossProjects,
  updateLink,
} from "./link-store.ts";
export { type MergeVisitor, visitorMerging } from "./merging.ts";
export {
  actAs,
  keepsVisitors,
  linkedUser,
  mustBeProven,
  type Person,
  personKey,
  personOfUser,
} from "./person.ts";
export { ANY_VISITORS, isVisitorSql, laneSql, noneJoinedSql } from "./store.ts";
