import { beginningOf } from "@tidings/client/text";

type Traits = Readonly<Record<string, unknown>>;

/** Traits with a whole name, and those with its parts, by what customers call them. */
const WHOLE = ["name", "full_name", "fullName", "displayName", "display_name"] as const;
const FIRST = ["first_name", "firstName", "firstname", "given_name", "givenName"] as const;
const LAST = ["last_name", "lastName", "lastname", "family_name", "familyName", "surname"] as const;

/** All traits by which people call a user. */
export const NAME_TRAITS: readonly string[] = [...WHOLE, ...FIRST, ...LAST];

const MAX_SHOWN = 200;

/** What is drawn as nothing: blanks, control characters, and characters that only join or direct others. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const isBlank = (text: string): boolean => text.replaceAll(UNSEEN, "") === "";

function textOf(traits: Traits, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(traits, name) ? traits[name] : undefined;
    if (typeof value === "string" && !isBlank(value)) return beginningOf(value.trim(), MAX_SHOWN);
  }
  return null;
}

/** A user's trait `email`, where it is a text. It may be no address that mail can go to. */
export const emailOf = (traits: Traits): string | null => textOf(traits, ["email"]);

/**
 * How people call a user: by the trait that the project chose, else by the whole name, else by the first and last one; null where no
 * trait says it. What is no text, or shows nothing, is no name.
 */
export function nameOf(traits: Traits, nameTrait: string | null): string | null {
  const chosen = nameTrait === null ? null : textOf(traits, [nameTrait]);
  const parts = [textOf(traits, FIRST), textOf(traits, LAST)].filter((part) => part !== null);
  return chosen ?? textOf(traits, WHOLE) ?? (parts.length === 0 ? null : parts.join(" "));
}

/** What stands for a user where there is room for one thing: the name, else the email address; null for neither. */
export const calledOf = (traits: Traits, nameTrait: string | null): string | null =>
  nameOf(traits, nameTrait) ?? emailOf(traits);
