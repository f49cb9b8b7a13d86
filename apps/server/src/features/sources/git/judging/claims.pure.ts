/** What a message says that its commit takes back. */
export type Claims = {
  /** Whether its subject says that it takes something back, so that what it names needs no look at the files. */
  isRevert: boolean;
  /** Commits, by 7 to 40 digits. */
  shas: readonly string[];
  /** Pull requests. */
  numbers: readonly number[];
  /** First lines of commits, as `subjectKey` makes them, with the number of a pull request that they name. */
  subjects: readonly { key: string; number: number | null }[];
};

/** Characters of a message that are read. */
const MOST_MESSAGE = 100_000;
/** Characters of a subject that are read. */
const MOST_SUBJECT = 500;

/** Kinds and scopes before the first word, as in `[app] fix(ui): …`. */
const BEFORE = String.raw`^\W{0,8}(?:[\w./-]{1,30}(?:\([^)\n]{0,40}\))?!?[:\]]\s{0,3}){0,3}`;
const IS_REVERT = new RegExp(
  `${BEFORE}(?:revert|re-?apply|re-?land|undo|undone|take|back(?:ed|ing)?[ -]?out|roll(?:ed|ing)?[ -]?back)`,
  "i",
);
const REVERT_OF = new RegExp(
  String.raw`${BEFORE}(?:(?:revert(?:s|ed|ing)?|back(?:ed|ing)?[ -]?out)\b|(re-?apply|re-?land)\b):?\s*(\S.*)$`,
  "i",
);
/** The number of the pull request that a subject ends with. */
const ENDS_WITH_NUMBER = /\s*\((?:pull request\s)?[#!](\d{1,9})\)$/;
const NUMBERS = [
  /^Merge pull request #(\d{1,9})\b/,
  /^Merged PR (\d{1,9}):/,
  /^Pull request #(\d{1,9}):/,
  /\(pull request #(\d{1,9})\)/,
  ENDS_WITH_NUMBER,
];
/** What GitLab writes below the message of a merge. */
const SEE_MERGE_REQUEST = /^See merge request [^\s!]{0,300}!(\d{1,9})$/m;

const subjectOf = (message: string): string =>
  (message.split("\n", 1)[0] ?? "").slice(0, MOST_SUBJECT).trim();

/** A subject as it is compared: without the number of its pull request. */
export const subjectKey = (message: string): string => subjectOf(message).replace(ENDS_WITH_NUMBER, "");

/** The pull requests as which a commit says that it was merged. */
export function mergedPullRequests(message: string): number[] {
  const subject = subjectOf(message);
  const found = NUMBERS.map((pattern) => pattern.exec(subject)?.[1]);
  found.push(SEE_MERGE_REQUEST.exec(message.slice(0, MOST_MESSAGE))?.[1]);
  return [...new Set(found.flatMap((number) => (number === undefined ? [] : [Number(number)])))];
}

/** A message without what it quotes: lines behind `>`, indented ones, and what stands between fences. */
function ownWords(message: string): string {
  let isFenced = false;
  const own = message
    .slice(0, MOST_MESSAGE)
    .split("\n")
    .filter((line) => {
      if (/^\s{0,3}(```|~~~)/.test(line)) isFenced = !isFenced;
      return !isFenced && !/^(\s{0,3}>|\s{4}|\t)/.test(line);
    });
  return own.join("\n");
}

const VERB = /\b(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)?\s+out)\b/gi;
/** What may stand between the begin of a line or sentence and the verb. */
const BEGINS =
  /(?:^|\n|[.!?;)]\s)\s{0,3}(?:[*+-]\s)?(?:this\s(?:(?:also|change|changeset|commit|patch|pr|mr)\s)?)?$/i;
const MOST_BEFORE = 40;
const COMMITS = /\s+(?:the\s+)?(?:following\s+)?(?:(?:git\s+)?(?:commit|changeset|revision)(s?)\b:?\s+)?/iy;
const SHA = /(?:[*+-]\s)?[`"'(<[]?([0-9a-f]{7,40})(?![0-9a-z])[`"')>\]]?/iy;
/** What git, and people, write behind a commit: its subject and date. */
const ABOUT = /\s{0,3}\((?:[^()\n]|\([^()\n]{0,200}\)){0,300}\)/y;
const AND = /\s{0,3}(?:,|;|&|and\b|,\s?and\b|\n\s{0,3}[*+-]\s)\s*(?:commits?\s+)?/iy;
const BLANKS = /\s+/y;
const REQUEST = /\s+(?:the\s+)?(?:(?:pull\s+request|merge\s+request|pull|pr|mr)s?\s+)?/iy;
const REQUEST_NUMBER = /(?:[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,5})?[#!](\d{1,9})(?![\w])/y;
const BARE_NUMBER = /(\d{1,9})(?![\w])/y;
const REQUEST_URL =
  /https?:\/\/[^\s/]{1,200}(?:\/[^\s/]{1,100}){1,6}\/(?:pull|pulls|merge_requests|pull-requests|pullrequest)\/(\d{1,9})(?![\w])/y;

/** What a pattern finds at a place of a text. */
function at(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** The commits that are listed from a place on, behind the word that says what they are. */
function shasAt(text: string, from: number): string[] {
  const named = at(COMMITS, text, from);
  if (named === null) return [];
  const isMany = named[1] === "s";
  const shas: string[] = [];
  let place = from + named[0].length;
  for (;;) {
    const sha = at(SHA, text, place);
    if (sha === null) return shas;
    shas.push((sha[1] ?? "").toLowerCase());
    place += sha[0].length;
    place += at(ABOUT, text, place)?.[0].length ?? 0;
    const next = at(AND, text, place) ?? (isMany ? at(BLANKS, text, place) : null);
    if (next === null) return shas;
    place += next[0].length;
  }
}

/** The pull request that is named at a place. */
function numberAt(text: string, from: number): number | null {
  const named = at(REQUEST, text, from);
  if (named === null) return null;
  const place = from + named[0].length;
  const found =
    at(REQUEST_URL, text, place) ??
    at(REQUEST_NUMBER, text, place) ??
    (named[0].trim() === "" ? null : at(BARE_NUMBER, text, place));
  return found === null ? null : Number(found[1]);
}

/** The subject that another one puts between quotes, or behind a colon. */
function quotedIn(text: string): string {
  const quoted = /^(["“'‘])(.*)["”'’]\s*(?:[([](?:pull request\s)?[#!]\d{1,9}[)\]])?\.?$/.exec(text);
  return quoted?.[2] ?? text;
}

/** What a message says that its commit takes back. Its time is in proportion to its length. */
export function revertClaims(message: string): Claims {
  const subject = subjectOf(message);
  const shas = new Set<string>();
  const numbers = new Set<number>();
  const text = ownWords(message);
  for (const verb of text.matchAll(VERB)) {
    if (!BEGINS.test(text.slice(Math.max(0, verb.index - MOST_BEFORE), verb.index))) continue;
    const end = verb.index + verb[0].length;
    for (const sha of shasAt(text, end)) shas.add(sha);
    const number = numberAt(text, end);
    if (number !== null) numbers.add(number);
  }
  const [, again, named] = REVERT_OF.exec(subject) ?? [];
  const subjects: Claims["subjects"][number][] = [];
  if (named !== undefined) {
    const inner = quotedIn(named);
    const key = subjectKey(inner);
    const [number = null] = mergedPullRequests(inner);
    // What is applied again is what a revert of it has taken back.
    if (again === undefined) {
      subjects.push({ key, number });
      if (number !== null) numbers.add(number);
    } else subjects.push({ key: `Revert "${inner}"`, number: null });
  }
  return { isRevert: IS_REVERT.test(subject), shas: [...shas], numbers: [...numbers], subjects };
}
