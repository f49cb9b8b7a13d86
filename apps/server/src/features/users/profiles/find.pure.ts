import { beginningOf } from "@tidings/client/text";
import type { FoundUser } from "./schema.ts";

/** Traits with a whole name, and those with its parts, by what customers call them. */
const WHOLE = ["name", "full_name", "fullName"] as const;
const FIRST = ["first_name", "firstName"] as const;
const LAST = ["last_name", "lastName"] as const;

/** All traits by which people call a user. */
export const NAME_TRAITS: readonly string[] = [...WHOLE, ...FIRST, ...LAST];

const MOST_WORDS = 8;

/** The words of what a person typed, each of which has to be found; commas part them as well, as in "Lovelace, Ada". */
export const wordsOf = (typed: string): string[] =>
  typed
    .normalize("NFC")
    .split(/[\s,;<>()"]+/)
    .filter((word) => word !== "")
    .slice(0, MOST_WORDS);

const MAX_SHOWN = 200;

function textOf(traits: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(traits, name) ? traits[name] : undefined;
    if (typeof value === "string" && value.trim() !== "") return beginningOf(value.trim(), MAX_SHOWN);
  }
  return null;
}

/** How people call a user, by the traits; null where no trait says it. */
export function nameOf(traits: Readonly<Record<string, unknown>>): string | null {
  const parts = [textOf(traits, FIRST), textOf(traits, LAST)].filter((part) => part !== null);
  return textOf(traits, WHOLE) ?? (parts.length === 0 ? null : parts.join(" "));
}

type Row = { externalId: string; traits: unknown };

/** A user who was found, and by what: by one thing that has all the words where there is one, and else by the first that has any. */
export function foundBy(id: string, { externalId, traits: stored }: Row, typed: string): FoundUser {
  // Only checked objects are written to this column.
  const traits = stored as Record<string, unknown>;
  const [name, email] = [nameOf(traits), textOf(traits, ["email"])];
  const words = wordsOf(typed.toLowerCase());
  const things = [
    { by: "id" as const, text: externalId.toLowerCase() },
    { by: "name" as const, text: (name ?? "").toLowerCase() },
    { by: "email" as const, text: (email ?? "").toLowerCase() },
  ];
  const whole = things.find(({ text }) => words.every((word) => text.includes(word)));
  const part = things.find(({ text }) => words.some((word) => text.includes(word)));
  const by = id === typed ? "id" : (whole ?? part)?.by;
  return { id, externalUserId: externalId, name, email, by: by ?? "name" };
}
