export { type CodeChange, type GitProof, judgeChanges } from "./judging/proof.ts";
export { findUndoing } from "./judging/undoing.ts";
export { fetchCommits, fetchMirror, hasCommits, keepCommits, type Mirror, openMirror } from "./mirror.ts";
export { type Failure, fail, type Remote, readTips, resolvePublic } from "./remote.ts";
export {
  type Commit,
  type CommitWindow,
  findRewritten,
  isAncestor,
  mergeBase,
  readCommitsOf,
  readCommitWindow,
  readReadme,
} from "./window.ts";
