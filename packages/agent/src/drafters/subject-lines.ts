import { beginningOf } from "@tidings/client/text";
import { type Drafted, type SourceClaim, type SourceOp, withdrawals } from "./drafter.ts";

const REVERTS = /This reverts commit ([0-9a-f]{40})\b/g;

const MOST_NAME = 80;
const MOST_TITLE = 120;
const MOST_BODY = 600;
/** The most commits that one campaign announces. */
const MOST_COMMITS = 100;

type Change = SourceClaim["changes"][number];

/** How a drafter reads the message of a commit. Part of what the drafter's name means. */
export type Reading = {
  /** What it says of itself, for users; empty where that is nothing. */
  titleOf(message: string): string;
  /** Whether users notice it. */
  isNoticed(message: string): boolean;
};

/** A text of a message: in one line, and without what would be a personal field. */
export const inOneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .replace(/\{(?=[{%])/g, "{ ")
    .trim();

const cut = (text: string, most: number): string =>
  beginningOf(text, most).length === text.length ? text : `${beginningOf(text, most - 1)}…`;

/** Commits that users notice: not those that a later one of the claim takes back. */
function noticed(changes: readonly Change[], { titleOf, isNoticed }: Reading): Change[] {
  const reverted = new Set(
    changes.flatMap(({ message }) => [...message.matchAll(REVERTS)].map(([, sha = ""]) => sha)),
  );
  return changes.filter(
    ({ sha, message }) => !reverted.has(sha) && isNoticed(message) && titleOf(message) !== "",
  );
}

function create(changes: readonly Change[], { titleOf }: Reading): SourceOp {
  const titles = [...new Set(changes.map(({ message }) => titleOf(message)))];
  const [first = ""] = titles;
  const name = titles.length === 1 ? first : `${cut(first, 60)} and ${titles.length - 1} more`;
  const lines = titles.map((title) => `• ${title}`).join("\n");
  const message =
    titles.length === 1
      ? { title: cut(first, MOST_TITLE) }
      : { title: "What is new", body: cut(lines, MOST_BODY) };
  return {
    op: "create",
    shas: changes.map(({ sha }) => sha),
    campaign: {
      name: cut(name, MOST_NAME),
      channel: "web_inapp",
      message: { presentation: "toast", ...message },
    },
  };
}

/** Drafts of a claim from the subject lines of its commits: one that names each title once, for people to rewrite. */
export function draftSubjects(claim: SourceClaim, reading: Reading): Drafted {
  const shown = noticed(claim.changes, reading);
  const rest = claim.changes.filter((change) => !shown.includes(change)).map(({ sha }) => sha);
  const ops: SourceOp[] = [];
  for (let at = 0; at < shown.length; at += MOST_COMMITS)
    ops.push(create(shown.slice(at, at + MOST_COMMITS), reading));
  ops.push(...withdrawals(claim));
  if (rest.length > 0)
    ops.push({ op: "skip", shas: rest, reason: "By their subject lines, users do not notice them." });
  const rationale =
    "Drafted from the subject lines of the commits, without a model: a person should rewrite it.";
  return { rationale, ops, usage: null, transcript: [] };
}
