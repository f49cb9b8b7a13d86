import type { Drafted, Drafter, SourceClaim } from "./drafter.ts";
import { draftSubjects, inOneLine } from "./subject-lines.ts";

/**
 * The drafter `plain@1`. It never changes: runs name it. Without a model it announces what commits say of themselves: one draft from the
 * subject lines of a claim, for people to rewrite. Commits that are for developers alone, by their subject, are skipped.
 */

/** Kinds of conventional commits that users do not notice, and what git and release tools write. */
const UNNOTICED =
  /^(build|chore|ci|docs|refactor|style|test)(\([^)]*\))?!?:|^(merge|revert|fixup!|squash!|wip|bump|release)\b/i;
const PREFIX = /^[a-z]+(\([^)]*\))?!?:\s*/i;

const subjectOf = (message: string): string => message.split("\n", 1)[0] ?? "";

/** What a commit says of itself, for users: with a capital, and without the kind of a conventional commit. */
function titleOf(message: string): string {
  const text = inOneLine(subjectOf(message).replace(PREFIX, ""));
  return text.charAt(0).toLocaleUpperCase("en") + text.slice(1);
}

const isNoticed = (message: string): boolean => !UNNOTICED.test(subjectOf(message));

/** What `plain@1` makes of a claim. */
export const draftPlainly = (claim: SourceClaim): Drafted => draftSubjects(claim, { titleOf, isNoticed });

export const plain1: Drafter = {
  name: "plain@1",
  maxSeconds: 30,
  draft: async (claim) => draftPlainly(claim),
};
