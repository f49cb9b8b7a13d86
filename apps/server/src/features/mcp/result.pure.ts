import { beginningInUnits, cutAfter } from "@tidings/client/text";
/** The most characters of a result: what a model reads without losing its thread. */
export const MAX_CHARACTERS = 24_000;
/** To how many characters texts in a list are shortened that would be too long. */
const SHORT_TEXT = 300;

/** The texts of a result: the JSON, and a sentence about what is not in it. */
export type ResultText = { json: string; note: string | null };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shortened(value: unknown): unknown {
  if (typeof value === "string") return cutAfter(value, SHORT_TEXT);
  if (Array.isArray(value)) return value.map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, shortened(child)]));
}

/** A text cut to the limit, where there are no items that could be left out. */
const cut = (json: string): ResultText => ({
  json: beginningInUnits(json, MAX_CHARACTERS),
  note: `Cut after ${MAX_CHARACTERS} of ${json.length} characters, so this is no whole JSON: ask for less at once, or for one thing by its id.`,
});

/** As many items of a list as fit, their long texts shortened. */
function fewer(json: string, isPaged: boolean): ResultText {
  const answer: unknown = JSON.parse(json);
  if (!isObject(answer)) return cut(json);
  const [name, items] = Object.entries(answer).find(([, value]) => Array.isArray(value)) ?? [];
  if (name === undefined || !Array.isArray(items)) return cut(json);
  const short: unknown[] = items.map(shortened);
  let left = MAX_CHARACTERS - JSON.stringify({ ...answer, [name]: [] }).length;
  let count = 0;
  for (const item of short) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0) break;
    count++;
  }
  if (count === 0) return cut(JSON.stringify({ ...answer, [name]: short }));
  const texts = `Texts of more than ${SHORT_TEXT} characters are shortened and end in "…".`;
  const how = isPaged ? `ask with perPage ${count} and go on page by page, or` : "narrow it down, or";
  const note =
    count === items.length
      ? `${texts} Ask for one of the ${name} by its id to see it whole.`
      : `Only the first ${count} of these ${items.length} ${name} are shown: ${how} ask for one by its id. ${texts}`;
  return { json: JSON.stringify({ ...answer, [name]: short.slice(0, count) }), note };
}

/**
 * The body of an answer as a model gets it. One thing by its id is whole; a list that is too long has its long texts shortened, then fewer
 * items; everything else is cut.
 */
export function showBody(operation: string, json: string, isPaged: boolean): ResultText {
  if (json.length <= MAX_CHARACTERS || operation.startsWith("get")) return { json, note: null };
  return operation.startsWith("list") ? fewer(json, isPaged) : cut(json);
}
