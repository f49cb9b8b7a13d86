import type { Person } from "./template.pure.ts";

/** A user as messages are filled in for them; `serverTraits` are those that the secret key set, null where there are none. */
type KnownUser = {
  externalId: string;
  traits: Readonly<Record<string, unknown>>;
  serverTraits: readonly string[] | null;
};

/** The longest text of a publishable key that a message says, in characters: enough for names and places, too little for a letter. */
const MAX_TEXT = 100;
const PAGE = /:\/\/|www\./i;

const isUnfitText = (text: string): boolean =>
  PAGE.test(text) || (text.length > MAX_TEXT && [...text].length > MAX_TEXT);

/** Whether a value that anybody may have set is one that a message must not say. A list is judged as if it were joined. */
const isUnfit = (value: unknown): boolean =>
  typeof value === "string"
    ? isUnfitText(value)
    : Array.isArray(value) && isUnfitText(value.filter((each) => typeof each !== "object").join(""));

/**
 * Whom a message speaks to. The publishable key is public, so that texts of it may be a stranger's: one that is long or holds the
 * address of a page is left out, and its fallback stands in for it. What the secret key set is said as it is; so is the id of a
 * user of whom the server has spoken.
 */
export function personOf({ externalId, traits, serverTraits }: KnownUser): Person {
  const id = serverTraits === null && isUnfitText(externalId) ? "" : externalId;
  const unfit = Object.keys(traits).filter(
    (name) => isUnfit(traits[name]) && serverTraits?.includes(name) !== true,
  );
  if (unfit.length === 0) return { id, traits };
  const said = Object.entries(traits).filter(([name]) => !unfit.includes(name));
  return { id, traits: Object.fromEntries(said) };
}
