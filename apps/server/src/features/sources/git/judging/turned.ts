import {
  areFew,
  asInput,
  type CommitChanges,
  type FileChange,
  type History,
  literal,
  MOST_COMMITS,
  TooMuch,
} from "./history.ts";

/** What leads from one tree to that of a commit: the commit alone, or a line of commits up to it. */
export type Span = { from: () => Promise<string>; sha: string; files: readonly FileChange[] };

/** The most commits of which it is tried whether they turn a change round. */
const MOST_TRIALS = 20;
/** The names under which the patches of a change stand among those of commits. */
const AGAIN = "1".repeat(40);
const ROUND = "2".repeat(40);

/** The span of one commit. */
export async function spanOf(history: History, sha: string): Promise<Span> {
  const [files = []] = await history.filesOf([sha]);
  return { from: () => history.treeBefore(sha), sha, files };
}

/** The span of commits each of which is the first parent of the next one; null where they are no such line. */
export async function spanOfLine(history: History, shas: readonly string[]): Promise<Span | null> {
  const facts = await history.facts(shas);
  const isLine = facts.every(({ parents }, index) => index === 0 || parents[0] === facts[index - 1]?.sha);
  const [first] = facts;
  const last = facts.at(-1);
  if (!isLine || first === undefined || last === undefined || facts.length !== shas.length) return null;
  const files = new Map<string, FileChange>();
  for (const changes of await history.filesOf(shas))
    for (const { path, before, after } of changes)
      files.set(path, { path, before: (files.get(path) ?? { before }).before, after });
  const changed = [...files.values()].filter(({ before, after }) => before !== after);
  return { from: () => history.treeBefore(first.sha), sha: last.sha, files: changed };
}

/** How a commit changes just the files of a span: it does the same once more, the reverse, or something that its files alone do not say. */
function compare({ files }: Span, place: CommitChanges): "again" | "round" | "unclear" | "other" {
  if (place.files.length !== files.length || place.parents.length > 1) return "other";
  const own = new Map(files.map((file) => [file.path, file]));
  if (!place.files.every(({ path }) => own.has(path))) return "other";
  const isRound = place.files.every(({ path, before, after }) => {
    const file = own.get(path);
    return file?.before === after && file.after === before;
  });
  if (isRound) return "round";
  const isAgain = place.files.every(({ path, before, after }) => {
    const file = own.get(path);
    return file?.before === before && file.after === after;
  });
  return isAgain ? "again" : "unclear";
}

/** The patches of a span, forwards and backwards. */
async function patchesOf(history: History, from: string, until: string): Promise<string> {
  const plain = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "-U0"];
  const patches: string[] = [];
  for (const [name, trees] of [
    [AGAIN, [from, until]],
    [ROUND, [until, from]],
  ] as const) {
    const { stdout } = await history.run(["diff-tree", "-r", "-p", ...plain, ...trees]);
    patches.push(`commit ${name}\n${stdout}`);
  }
  return patches.join("");
}

/**
 * The last of these commits (newest first) that does a span or its reverse, if it is the reverse. Patches without the lines around them, and
 * without blanks, say which commits may; what is made of the files says which do.
 */
async function lastTurn(
  history: History,
  span: Span,
  places: readonly CommitChanges[],
): Promise<string | null> {
  const [from, until] = [await span.from(), await history.treeOf(span.sha)];
  let ids: ReadonlyMap<string, string> | null = null;
  let trials = 0;
  for (const place of places) {
    const { commit, tree } = place;
    const how = compare(span, place);
    if (how === "round") return commit;
    if (how === "again") return null;
    if (ids === null) {
      const input = asInput(places.map((each) => each.commit));
      const others = await history.patches(["-U0", "--no-walk=unsorted", "--stdin"], input);
      ids = new Map(await history.idsOf((await patchesOf(history, from, until)) + others));
    }
    const id = ids.get(commit);
    if (id === undefined || (id !== ids.get(ROUND) && id !== ids.get(AGAIN))) continue;
    if (++trials > MOST_TRIALS) return null;
    const before = await history.treeBefore(commit);
    if (id === ids.get(ROUND) && (await history.appliedTree(before, until, from)) === tree) return commit;
    if (id === ids.get(AGAIN) && (await history.appliedTree(before, from, until)) === tree) return null;
  }
  return null;
}

/** The later commits that change just the files of a span, newest first. */
async function laterOf(history: History, span: Span, tip: string): Promise<CommitChanges[]> {
  const { files, sha } = span;
  const paths = files.map(({ path }) => literal(path));
  const places = await history.places(["--no-merges", "--full-history", `${sha}..${tip}`, "--", ...paths]);
  const candidates = places.filter((place) => compare(span, place) !== "other");
  const all = await history.filesOf(candidates.map(({ commit }) => commit));
  return candidates.filter((_, index) => all[index]?.length === files.length);
}

/**
 * The commit of a history that turns a change round, whatever it says: its patch is that of the change backwards, and the change was not
 * made once more since. Files decide first: where one of them is as the change made it, the change is there. Looks at 5,000 later commits at
 * most, and as far as it has to where all files are as they were before the change. What is too much to read turns nothing round.
 */
export async function turnedRoundBy(history: History, span: Span, tip: string): Promise<string | null> {
  const { files, sha } = span;
  if (files.length === 0 || sha === tip) return null;
  const paths = files.map(({ path }) => path);
  if (!areFew(paths)) return null;
  try {
    const now = await history.blobsAt(tip, paths);
    if (files.some(({ after }, index) => after === now[index])) return null;
    const isUndone = files.every(({ before }, index) => before === now[index]);
    if (!isUndone && (await history.isLonger(sha, tip, MOST_COMMITS))) return null;
    const later = await laterOf(history, span, tip);
    return later.length === 0 ? null : await lastTurn(history, span, later);
  } catch (error) {
    if (error instanceof TooMuch) return null;
    throw error;
  }
}

/** Whether something of what a commit did is surely still there after another one. Where lines have moved on, it is not sure. */
export async function isStillThere(history: History, sha: string, after: string): Promise<boolean> {
  const tree = await history.treeOf(after);
  const without = await history.appliedTree(tree, await history.treeOf(sha), await history.treeBefore(sha));
  return without !== null && without !== tree;
}
