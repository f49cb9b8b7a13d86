export { type Change, judgeChanges, type Verdict } from "./judging/proof.ts";
export { findUndoing } from "./judging/undoing.ts";
export { fetchCommits, fetchMirror, hasCommits, keepCommits, type Mirror, openMirror } from "./mirror.ts";
export { type Failure, fail, type Remote, readTips, resolvePublic } from "./remote.ts";
export {
  baseOf,
  type Commit,
  findRewritten,
  isAncestor,
  readCommitsOf,
  readReadme,
  readWindow,
  type Window,
} from "./window.ts";
