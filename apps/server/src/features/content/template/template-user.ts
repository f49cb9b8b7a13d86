import { MAX_PAGE_TEXT, type TemplateUser } from "./template.pure.ts";

/** What messages need of a user; `serverTraits` are the traits that the secret key set, null where there are none. */
type KnownUser = {
  externalId: string;
  traits: Readonly<Record<string, unknown>>;
  serverTraits: readonly string[] | null;
  /** The properties of the event that let the user into the journey whose message it is; none where it belongs to none. */
  event?: Readonly<Record<string, unknown>> | null;
};

const PAGE = /:\/\/|www\./i;

const isUnfitText = (text: string): boolean =>
  PAGE.test(text) || (text.length > MAX_PAGE_TEXT && [...text].length > MAX_PAGE_TEXT);

/** Whether a message must not show a value that came with a publishable key. A list is judged as if it were joined. */
const isUnfit = (value: unknown): boolean =>
  typeof value === "string"
    ? isUnfitText(value)
    : Array.isArray(value) && isUnfitText(value.filter((each) => typeof each !== "object").join(""));

/**
 * The user for whom a message is filled in. The publishable key is public, so a text that came with it may be an attacker's: a text that
 * is long or contains a web address is left out, and the template's fallback takes its place. Traits that the secret key set are
 * shown as they are; so is the id of a user whom the secret key has identified. Which key an event came with is not kept, so its
 * properties are read as those of a publishable key.
 */
export function readTemplateUser({ externalId, traits, serverTraits, event }: KnownUser): TemplateUser {
  const id = serverTraits === null && isUnfitText(externalId) ? "" : externalId;
  const person = { id, traits: fitOf(traits, serverTraits) };
  return event == null ? person : { ...person, event: fitOf(event, null) };
}

/** The values that a message may show; `trusted` are the names of those that the secret key set. */
function fitOf(
  values: Readonly<Record<string, unknown>>,
  trusted: readonly string[] | null,
): Readonly<Record<string, unknown>> {
  const unfit = Object.keys(values).filter(
    (name) => isUnfit(values[name]) && trusted?.includes(name) !== true,
  );
  if (unfit.length === 0) return values;
  return Object.fromEntries(Object.entries(values).filter(([name]) => !unfit.includes(name)));
}
