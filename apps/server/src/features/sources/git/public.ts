export { type CodeChange, type GitProof, judgeChanges } from "./judging/proof.ts";
export { findUndoing } from "./judging/undoing.ts";
export { fetchCommits, fetchMirror, hasCommits, keepCommits, type Mirror, openMirror } from "./mirror.ts";
export { type Failure, fail, type Remote, readTips, resolvePublic } from "./remote.ts";
export {
  baseOf,
  type Commit,
  type CommitWindow,
  findRewritten,
  isAncestor,
  readCommitsOf,
  readReadme,
  readWindow,
} from "./window.ts";
