/** Steps of a path behind `data`: `[]` is each entry of a list. */
type Step = string | number | typeof EACH;
const EACH = Symbol("each entry");

/** One step as `pathStep` writes it: a plain name, an entry by its number, each entry, or a name in quotes. */
const STEP = /\.([^.[\]]{1,1000})|\[(\d{1,9})\]|(\[\])|\[("(?:[^"\\]|\\.){0,1000}")\]/gy;

function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  const behind = path.slice("data".length);
  STEP.lastIndex = 0;
  for (let found = STEP.exec(behind); found !== null; found = STEP.exec(behind)) {
    const [, name, index, each, quoted] = found;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (each !== undefined) steps.push(EACH);
    else steps.push(String(JSON.parse(quoted ?? '""')));
  }
  return steps;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The furthest entry of a list for which a sample is made. */
const MAX_INDEX = 9;

/** A value in which a path is there: what lacks of it is made, and its end is the word `sample`. What is there otherwise stays. */
function withPath(value: unknown, steps: readonly Step[], sample: string): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value ?? sample;
  if (step === EACH || typeof step === "number") {
    if (value !== undefined && value !== null && !Array.isArray(value)) return value;
    const entries: unknown[] = value ?? [];
    if (step === EACH) {
      const list = entries.length === 0 && value === undefined ? [undefined] : entries;
      return list.map((entry) => withPath(entry, rest, sample));
    }
    if (step > MAX_INDEX) return value;
    return Array.from({ length: Math.max(entries.length, step + 1) }, (_, index) =>
      index === step ? withPath(entries[index], rest, sample) : (entries[index] ?? sample),
    );
  }
  if (value !== undefined && value !== null && !isRecord(value)) return value;
  const known = value ?? {};
  // A name such as "__proto__" is one of data like any other.
  return Object.fromEntries([
    ...Object.entries(known),
    [step, withPath(Object.hasOwn(known, step) ? known[step] : undefined, rest, sample)],
  ]);
}

const listsIn = (steps: readonly Step[]): number => steps.filter((step) => typeof step !== "string").length;

/** The word that stands for a value: the last name on its way. */
const sampleOf = (steps: readonly Step[]): string =>
  String(steps.findLast((step) => typeof step === "string") ?? "value");

/**
 * Data with a sample for each path that it lacks, so that a text which names these can be filled in: `data.order.total` becomes
 * `{order: {total: "total"}}`, `data.items[].price` a list of one entry. What is given stays as it is.
 * @param paths as `dataPathsOf` answers them
 */
export function withSamples(
  paths: readonly string[],
  data: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  // What a path goes through is a list or an object, and no word: so lists come first, then longer paths.
  const ways = paths.map(stepsOf).filter(({ length }) => length > 0);
  let filled: unknown = data;
  for (const steps of ways.toSorted(
    (one, other) => listsIn(other) - listsIn(one) || other.length - one.length,
  ))
    filled = withPath(filled, steps, sampleOf(steps));
  const values = isRecord(filled) ? filled : {};
  // In the order in which they are given, and then named.
  const names = new Set([...Object.keys(data), ...ways.map(([first]) => String(first))]);
  return Object.fromEntries(
    [...names].flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name]]] : [])),
  );
}
