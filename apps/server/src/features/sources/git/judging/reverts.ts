import { type Claims, mergedPullRequests, revertClaims, subjectKey } from "./claims.pure.ts";
import { type Fact, type History, linesIn, Untold } from "./history.ts";

/** That a commit says it takes another one back. `isSure`: it names the commit, and its subject says that it takes something back. */
export type Hint = { by: string; isSure: boolean };

/** What the messages of a history say that was taken back, by what they name. */
export type Reverts = {
  claims: ReadonlyMap<string, Claims>;
  byCommit: ReadonlyMap<string, readonly (Hint & { isWhole: boolean })[]>;
  /** Beginnings of commits that several have. */
  ambiguous: readonly (Hint & { begin: string })[];
  byNumber: ReadonlyMap<number, readonly string[]>;
  bySubject: ReadonlyMap<string, readonly { by: string; number: number | null }[]>;
  /** Merges that are named. */
  merges: ReadonlySet<string>;
};

/** The most names that are read in the messages of one history. */
const MOST_NAMES = 100_000;
const MOST_BYTES = 64 * 1_024 * 1_024;
/** The most pull requests whose merges are looked for. */
const MOST_NUMBERS = 200;
const WHOLE = 40;
const TOO_MANY = "Too many commits take something back.";

const addTo = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
};

/** What the messages of a history claim, by commit, newest first. Merges are left out: they tell about what they bring. */
async function readClaims(history: History, tip: string): Promise<Map<string, Claims>> {
  // A part of each word by which something is said to be taken back, with a small letter.
  const words = ["evert", "eapply", "e-apply", "eland", "ack out", "acked out"].map(
    (word) => `--grep=${word}`,
  );
  const args = ["log", "--no-merges", "--format=%H%x00%B%x00", "--fixed-strings", ...words, tip];
  const { stdout } = await history.run(args, { maxBytes: MOST_BYTES });
  const found = new Map<string, Claims>();
  let names = 0;
  for (let from = 0; ; ) {
    await history.turn();
    const middle = stdout.indexOf("\0", from);
    const end = stdout.indexOf("\0", middle + 1);
    if (middle < 0 || end < 0) return found;
    const claims = revertClaims(stdout.slice(middle + 1, end));
    const count = claims.shas.length + claims.numbers.length + claims.subjects.length;
    names += count;
    if (names > MOST_NAMES) throw new Untold(TOO_MANY);
    if (count > 0) found.set(stdout.slice(from, middle).trim(), claims);
    from = end + 1;
  }
}

/** The commits that names stand for: null for several, and nothing for none. */
async function resolve(history: History, names: readonly string[]): Promise<Map<string, string | null>> {
  if (names.length === 0) return new Map();
  const input = names.map((name) => `${name}^{commit}\n`).join("");
  const { stdout } = await history.run(["cat-file", "--batch-check"], { input });
  const answers = linesIn(stdout);
  return new Map(
    names.flatMap((name, index): [string, string | null][] => {
      const answer = answers[index] ?? "";
      if (answer.endsWith(" ambiguous")) return [[name, null]];
      const sha = /^([0-9a-f]{40}) commit \d+$/.exec(answer)?.[1];
      return sha?.startsWith(name) ? [[name, sha]] : [];
    }),
  );
}

async function mergesAmong(history: History, shas: readonly string[]): Promise<string[]> {
  if (shas.length === 0) return [];
  const input = `${shas.join("\n")}\n`;
  return linesIn(
    (await history.run(["rev-list", "--no-walk=unsorted", "--merges", "--stdin"], { input })).stdout,
  );
}

/** The merges of a history that say that they merge one of these pull requests. */
async function mergesOfNumbers(history: History, numbers: readonly number[], tip: string): Promise<string[]> {
  if (numbers.length === 0) return [];
  const named = `([Pp]ull request |merge request [^ ]*|Merged PR )[#!]?(${numbers.join("|")})([^0-9]|$)`;
  const args = ["log", "--merges", "--format=%H", "--extended-regexp", `--grep=${named}`, tip];
  return linesIn((await history.run(args)).stdout);
}

/** Reads what the messages in the history of a commit say that was taken back. */
export const readReverts = (history: History, tip: string): Promise<Reverts> =>
  history.once(`reverts ${tip}`, async () => {
    const claims = await readClaims(history, tip);
    const named = [...new Set([...claims.values()].flatMap(({ shas }) => shas))];
    const shaOf = await resolve(history, named);
    const byCommit = new Map<string, (Hint & { isWhole: boolean })[]>();
    const ambiguous: (Hint & { begin: string })[] = [];
    const byNumber = new Map<number, string[]>();
    const bySubject = new Map<string, { by: string; number: number | null }[]>();
    for (const [by, { isRevert: isSure, shas, numbers, subjects }] of claims) {
      await history.turn();
      for (const name of shas) {
        const sha = shaOf.get(name);
        if (sha === null) ambiguous.push({ by, isSure, begin: name });
        else if (sha !== undefined) addTo(byCommit, sha, { by, isSure, isWhole: name.length === WHOLE });
      }
      for (const number of numbers) addTo(byNumber, number, by);
      for (const { key, number } of subjects) addTo(bySubject, key, { by, number });
    }
    const merges = new Set(await mergesAmong(history, [...byCommit.keys()]));
    const newest = [...byNumber.keys()].slice(0, MOST_NUMBERS);
    for (const merge of await mergesOfNumbers(history, newest, tip)) merges.add(merge);
    return { claims, byCommit, ambiguous, byNumber, bySubject, merges };
  });

/**
 * What messages say of a commit, by the commits that say it. `number`: of the pull request that it belongs to; null for none. `isBefore`: only
 * counts where the commit is in the history of the one that says it.
 */
export function hintsOf(
  { byCommit, ambiguous, byNumber, bySubject }: Reverts,
  { sha, message }: Fact,
  number: number | null,
): (Hint & { isBefore: boolean; begin: string | null })[] {
  const numbers = new Set([...mergedPullRequests(message), ...(number === null ? [] : [number])]);
  const isOfAnother = (named: number | null): boolean =>
    named !== null && numbers.size > 0 && !numbers.has(named);
  const found = [
    ...(byCommit.get(sha) ?? []).map(({ by, isSure, isWhole }) => ({
      by,
      isSure,
      isBefore: !isWhole,
      begin: null,
    })),
    ...ambiguous
      .filter(({ begin }) => sha.startsWith(begin))
      .map(({ by, isSure, begin }) => ({ by, isSure, isBefore: true, begin })),
    ...[...numbers].flatMap((each) =>
      (byNumber.get(each) ?? []).map((by) => ({ by, isSure: false, isBefore: true, begin: null })),
    ),
    ...(bySubject.get(subjectKey(message)) ?? [])
      .filter((named) => !isOfAnother(named.number))
      .map(({ by }) => ({ by, isSure: false, isBefore: true, begin: null })),
  ];
  return found.filter(({ by }) => by !== sha);
}
