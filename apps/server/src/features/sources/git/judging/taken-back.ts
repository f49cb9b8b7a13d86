import { type History, linesIn, Untold } from "./history.ts";
import { type Hint, hintsOf, type Reverts, readReverts } from "./reverts.ts";
import { isStillThere, type Span, spanOf, spanOfLine, turnedRoundBy } from "./turned.ts";

/** The most commits that take something back which are followed for one change. */
const MOST_REVERTS = 200;
/** The most looks at files and histories that are taken for one change. */
const MOST_LOOKS = 1_000;
/** Merges that are asked one by one whether they brought a commit; of more, those behind it are listed first. */
const FEW_MERGES = 4;
const TOO_MANY = "Too many commits take something back.";

/** Where a question is asked: the history of a commit, and the pull request that it is about. */
export type Where = { tip: string; number: number | null };

/** What one walk may still do. */
class Budget {
  #looks = 0;
  #reverts = 0;

  look(): void {
    if (++this.#looks > MOST_LOOKS) throw new Untold(TOO_MANY);
  }

  follow(): void {
    if (++this.#reverts > MOST_REVERTS) throw new Untold(TOO_MANY);
  }
}

/** Whether a beginning that several commits of a mirror have is that of one alone in a history. */
async function isUnique(history: History, begin: string, sha: string, tip: string): Promise<boolean> {
  const { stdout } = await history.run(["rev-parse", `--disambiguate=${begin}`]);
  const others = linesIn(stdout).filter((each) => each !== sha);
  for (const { sha: other } of await history.facts(others))
    if (await history.isAncestor(other, tip)) return false;
  return true;
}

/** The merges that are named somewhere and that brought a commit to where they merged it. */
async function mergesOf(
  history: History,
  sha: string,
  tip: string,
  { among, budget }: { among: ReadonlySet<string>; budget: Budget },
): Promise<string[]> {
  let merges = [...among].filter((merge) => merge !== sha);
  if (merges.length > FEW_MERGES) {
    const args = ["rev-list", "--merges", "--ancestry-path", `${sha}..${tip}`];
    merges = linesIn((await history.run(args)).stdout).filter((merge) => among.has(merge));
  }
  const brought: string[] = [];
  for (const { sha: merge, parents } of await history.facts(merges)) {
    budget.look();
    if (!(await history.isAncestor(sha, merge)) || !(await history.isAncestor(merge, tip))) continue;
    if (!(await history.isAncestor(sha, parents[0] ?? ""))) brought.push(merge);
  }
  return brought;
}

/** Whether what a message says of a commit is so. */
async function isBelievable(
  history: History,
  sha: string,
  { by, isSure, isBefore, begin }: Hint & { isBefore: boolean; begin: string | null },
  { tip, budget }: { tip: string; budget: Budget },
): Promise<boolean> {
  if (isSure && !isBefore) return true;
  budget.look();
  if (isBefore && !(await history.isAncestor(sha, by))) return false;
  if (begin !== null && !(await isUnique(history, begin, sha, tip))) return false;
  return isSure || !(await isStillThere(history, sha, by));
}

/** The commits that take a commit back by what they say: it, or a merge that brought it. */
async function namedBy(
  history: History,
  sha: string,
  { tip, number }: Where,
  { reverts, budget }: { reverts: Reverts; budget: Budget },
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const name of [sha, ...(await mergesOf(history, sha, tip, { among: reverts.merges, budget }))]) {
    const hints = hintsOf(reverts, await history.fact(name), name === sha ? number : null);
    for (const hint of hints) {
      await history.turn();
      if (!found.has(hint.by) && (await isBelievable(history, name, hint, { tip, budget })))
        found.add(hint.by);
    }
  }
  return found;
}

/** The commits that take a commit back, whether or not they were taken back themselves: by what they say, or by what they do. */
export const takersOf = (history: History, sha: string, where: Where, budget = new Budget()) =>
  history.once(`takers ${sha} ${where.tip} ${where.number}`, async (): Promise<readonly string[]> => {
    const reverts = await readReverts(history, where.tip);
    const found = await namedBy(history, sha, where, { reverts, budget });
    budget.look();
    const turned = await turnedRoundBy(history, await spanOf(history, sha), where.tip);
    return [...(turned === null ? found : found.add(turned))];
  });

/** A commit whose verdict is being looked for, with those that take it back. */
type Step = { sha: string; takers: readonly string[]; next: number };

/**
 * Whether one of these commits stands, which take something back: a walk over what takes those back in turn, in which each commit is judged
 * once. `own` are commits that count as nothing: a pull request that takes back something of its own is as it was merged.
 */
async function oneStands(
  history: History,
  first: readonly string[],
  where: Where,
  { own, budget }: { own: ReadonlySet<string>; budget: Budget },
): Promise<boolean> {
  const isGone = new Map<string, boolean>();
  const open = new Set<string>();
  const steps: Step[] = [{ sha: "", takers: first, next: 0 }];
  const without = { tip: where.tip, number: null };
  for (let step = steps.at(-1); step !== undefined; step = steps.at(-1)) {
    await history.turn();
    const taker = step.takers[step.next];
    const known = taker === undefined || own.has(taker) ? true : isGone.get(taker);
    if (taker !== undefined && known === undefined) {
      if (open.has(taker)) throw new Untold("Commits take each other back.");
      budget.follow();
      if (step.next === 0) await prefetch(history, step.takers.slice(0, MOST_REVERTS));
      open.add(taker);
      steps.push({ sha: taker, takers: await takersOf(history, taker, without, budget), next: 0 });
    } else if (taker !== undefined && known) step.next++;
    else {
      // One of those that take it back stands, or there is none left.
      steps.pop();
      open.delete(step.sha);
      isGone.set(step.sha, taker !== undefined);
    }
  }
  return isGone.get("") === true;
}

/** Reads what many commits are with two calls. */
export async function prefetch(history: History, shas: readonly string[]): Promise<void> {
  await history.facts(shas);
  await history.filesOf(shas);
}

/**
 * Whether one of these commits, all of them together, or a merge that brought one was taken back by a commit that was not taken back itself.
 * Commits that are `own` take nothing back.
 */
export async function isTakenBack(
  history: History,
  parts: readonly string[],
  where: Where,
  own: ReadonlySet<string> = new Set(parts),
): Promise<boolean> {
  await prefetch(history, parts);
  const budget = new Budget();
  const takers = new Set<string>();
  for (const part of parts)
    for (const taker of await takersOf(history, part, where, budget)) takers.add(taker);
  const line: Span | null = parts.length > 1 ? await spanOfLine(history, parts) : null;
  const turned = line === null ? null : await turnedRoundBy(history, line, where.tip);
  if (turned !== null) takers.add(turned);
  return oneStands(history, [...takers], where, { own, budget });
}
