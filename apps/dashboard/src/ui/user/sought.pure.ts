import type { Answer } from "@tidings/client";
import { beginningOf } from "@tidings/client/text";

export type FoundUser = Answer<"findUsers">["users"][number];

/** The most that is looked for at once; no person types more. */
const MAX_TYPED = 320;

/** What is looked for in place of what was typed; empty where nothing can be: the server refuses texts with such characters. */
export function soughtOf(typed: string): string {
  const sought = beginningOf(typed, MAX_TYPED).trim();
  return sought.includes("\0") || /\p{Cs}/u.test(sought) ? "" : sought;
}

/** How people call a user beside the id: the name, then the email address. */
export const calledBeside = ({ name, email }: Pick<FoundUser, "name" | "email">): string =>
  [name, email].filter((each) => each !== null).join(", ");
