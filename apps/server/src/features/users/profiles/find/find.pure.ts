import { isVisitorId } from "../../../../domain/visitors.pure.ts";
import type { FoundUser } from "../schema.ts";
import { emailOf, nameOf } from "./name.pure.ts";

const MOST_WORDS = 8;

/** The words of what a person typed, each of which has to be found; commas part them as well, as in "Lovelace, Ada". */
export const searchWords = (typed: string): string[] =>
  typed
    .normalize("NFC")
    .split(/[\s,;<>()"]+/)
    .filter((word) => word !== "")
    .slice(0, MOST_WORDS);

type Row = { externalId: string; traits: unknown };

/** A user who was found, and by what: by one thing that has all the words where there is one, and else by the first that has any. */
export function foundBy(
  id: string,
  { externalId, traits: stored }: Row,
  { typed, nameTrait }: { typed: string; nameTrait: string | null },
): FoundUser {
  // Only checked objects are written to this column.
  const traits = stored as Record<string, unknown>;
  const [name, email] = [nameOf(traits, nameTrait), emailOf(traits)];
  const words = searchWords(typed.toLowerCase());
  const things = [
    { by: "id" as const, text: externalId.toLowerCase() },
    { by: "name" as const, text: (name ?? "").toLowerCase() },
    { by: "email" as const, text: (email ?? "").toLowerCase() },
  ];
  const whole = things.find(({ text }) => words.every((word) => text.includes(word)));
  const part = things.find(({ text }) => words.some((word) => text.includes(word)));
  const by = id === typed ? "id" : (whole ?? part)?.by;
  return {
    id,
    externalUserId: externalId,
    name,
    email,
    isVisitor: isVisitorId(externalId),
    by: by ?? "name",
  };
}
