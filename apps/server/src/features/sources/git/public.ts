export { fetchCommits, fetchMirror, hasCommits, keepCommits, type Mirror, openMirror } from "./mirror.ts";
export { type Change, judgeChanges, type Verdict } from "./proof.ts";
export { type Remote, readTips } from "./remote.ts";
export {
  type Commit,
  findRewritten,
  isAncestor,
  readCommitsOf,
  readReadme,
  readWindow,
  type Window,
} from "./window.ts";
