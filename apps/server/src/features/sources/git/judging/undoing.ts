import type { Mirror } from "../mirror.ts";
import { type History, Untold } from "./history.ts";
import { withHistory } from "./proof.ts";
import { hintsOf, type Reverts, readReverts } from "./reverts.ts";
import { isTakenBack, takersOf } from "./taken-back.ts";

/** What some commits take back of each other, and of commits that are known. */
export type Undoing = {
  /** Those of the commits that do not count any more: each was taken back by one that stands. */
  gone: ReadonlySet<string>;
  /** Those that do nothing but take back what is gone, or known, or takes something back itself. */
  undoers: ReadonlySet<string>;
};

/** `tip`: the commit in whose history all of them are looked at. */
type Look = { commits: readonly string[]; known: ReadonlySet<string>; tip: string };

const keyOf = (paths: readonly string[]): string => paths.toSorted().join("\0");

/** The commits that one of `commits` may take back, by what it says or by the files that it changes. */
async function candidates(
  history: History,
  reverts: Reverts,
  { commits, known }: Look,
): Promise<readonly string[]> {
  const own = new Set(commits);
  const all = [...new Set([...commits, ...known])];
  const facts = await history.facts(all);
  const files = await history.filesOf(facts.map(({ sha }) => sha));
  const keys = files.map((changed) => keyOf(changed.map(({ path }) => path)));
  const timesOf = new Map<string, number>();
  for (const [index, { sha }] of facts.entries()) {
    const key = keys[index] ?? "";
    if (key !== "" && own.has(sha)) timesOf.set(key, (timesOf.get(key) ?? 0) + 1);
  }
  const found: string[] = [];
  for (const [index, fact] of facts.entries()) {
    await history.turn();
    const others = (timesOf.get(keys[index] ?? "") ?? 0) - (own.has(fact.sha) ? 1 : 0);
    if (others > 0 || hintsOf(reverts, fact, null).some(({ by }) => own.has(by))) found.push(fact.sha);
  }
  return found;
}

/** Whether a commit names others than those that it is known to take back, or has something else in it. */
function hasMore(reverts: Reverts, by: string, taken: ReadonlySet<string>): boolean {
  const claims = reverts.claims.get(by);
  if (claims === undefined) return false;
  return !claims.isRevert || claims.shas.some((name) => ![...taken].some((sha) => sha.startsWith(name)));
}

async function read(history: History, look: Look): Promise<Undoing> {
  const { commits, tip } = look;
  const own = new Set(commits);
  const reverts = await readReverts(history, tip);
  const gone = new Set<string>();
  const takenBy = new Map<string, Set<string>>();
  const where = { tip, number: null };
  for (const sha of await candidates(history, reverts, look)) {
    // Commits that a rewritten branch has left are none of its history.
    if (!(await history.isAncestor(sha, tip))) continue;
    if (own.has(sha) && (await isTakenBack(history, [sha], where))) gone.add(sha);
    for (const by of await takersOf(history, sha, where))
      if (own.has(by)) takenBy.set(by, (takenBy.get(by) ?? new Set()).add(sha));
  }
  const undoers = [...takenBy].flatMap(([by, taken]) => (hasMore(reverts, by, taken) ? [] : [by]));
  return { gone, undoers: new Set(undoers) };
}

/** Which of some commits were taken back, and which do nothing but take others back. Null where git cannot tell. */
export async function findUndoing(mirror: Mirror, look: Look, signal: AbortSignal): Promise<Undoing | null> {
  try {
    return await withHistory(mirror, signal, (history) => read(history, look));
  } catch (error) {
    if (error instanceof Untold) return null;
    throw error;
  }
}
