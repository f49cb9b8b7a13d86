import { beginningOf } from "@tidings/client/text";
import { type Drafted, type Drafter, type SourceClaim, type SourceOp, withdrawals } from "./drafter.ts";

/**
 * The drafter `plain@1`. It never changes: runs name it. Without a model it announces what commits say of themselves: one draft from the
 * subject lines of a claim, for people to rewrite. Commits that are for developers alone, by their subject, are skipped.
 */

/** Kinds of conventional commits that users do not notice, and what git and release tools write. */
const UNNOTICED =
  /^(build|chore|ci|docs|refactor|style|test)(\([^)]*\))?!?:|^(merge|revert|fixup!|squash!|wip|bump|release)\b/i;
const PREFIX = /^[a-z]+(\([^)]*\))?!?:\s*/i;
const REVERTS = /This reverts commit ([0-9a-f]{40})\b/g;

const MOST_NAME = 80;
const MOST_TITLE = 120;
const MOST_BODY = 600;

/** A text of a message: in one line, and without what would be a personal field. */
const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .replace(/\{(?=[{%])/g, "{ ")
    .trim();

const cut = (text: string, most: number): string =>
  beginningOf(text, most).length === text.length ? text : `${beginningOf(text, most - 1)}…`;

const subjectOf = (message: string): string => message.split("\n", 1)[0] ?? "";

/** What a commit says of itself, for users: with a capital, and without the kind of a conventional commit. */
function titleOf(message: string): string {
  const text = plain(subjectOf(message).replace(PREFIX, ""));
  return text.charAt(0).toLocaleUpperCase("en") + text.slice(1);
}

type Change = SourceClaim["changes"][number];

/** Commits that users notice: not those that a later one of the claim takes back. */
function noticed(changes: readonly Change[]): Change[] {
  const reverted = new Set(
    changes.flatMap(({ message }) => [...message.matchAll(REVERTS)].map(([, sha = ""]) => sha)),
  );
  return changes.filter(
    ({ sha, message }) =>
      !reverted.has(sha) && !UNNOTICED.test(subjectOf(message)) && titleOf(message) !== "",
  );
}

/** The most commits that one campaign announces. */
const MOST_COMMITS = 100;

function create(changes: readonly Change[]): SourceOp {
  const titles = [...new Set(changes.map(({ message }) => titleOf(message)))];
  const [first = ""] = titles;
  const name = titles.length === 1 ? first : `${cut(first, 60)} and ${titles.length - 1} more`;
  const lines = titles.map((title) => `• ${title}`).join("\n");
  const message =
    titles.length === 1
      ? { title: cut(first, MOST_TITLE) }
      : { title: "What is new", body: cut(lines, MOST_BODY) };
  return {
    ...{ op: "create", shas: changes.map(({ sha }) => sha) },
    campaign: {
      ...{ name: cut(name, MOST_NAME), channel: "web_inapp" },
      message: { presentation: "toast", ...message },
    },
  };
}

/** What `plain@1` makes of a claim. */
export function draftPlainly(claim: SourceClaim): Drafted {
  const shown = noticed(claim.changes);
  const rest = claim.changes.filter((change) => !shown.includes(change)).map(({ sha }) => sha);
  const ops: SourceOp[] = [];
  for (let at = 0; at < shown.length; at += MOST_COMMITS)
    ops.push(create(shown.slice(at, at + MOST_COMMITS)));
  ops.push(...withdrawals(claim));
  if (rest.length > 0)
    ops.push({ op: "skip", shas: rest, reason: "By their subject lines, users do not notice them." });
  const rationale =
    "Drafted from the subject lines of the commits, without a model: a person should rewrite it.";
  return { rationale, ops, usage: null, transcript: [] };
}

export const plain1: Drafter = {
  ...{ name: "plain@1", maxSeconds: 30 },
  draft: async (claim) => draftPlainly(claim),
};
