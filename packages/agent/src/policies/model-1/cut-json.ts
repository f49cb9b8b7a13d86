import { bytesOf, cutText, isObject } from "./plain.ts";

/** What a tool answers at most, in bytes of JSON. */
const MAX_ANSWER = 4_096;
/** Tried one after the other: how many items of each list and how many bytes of each text are left. */
const CUTS = [
  { items: 50, bytes: 1_000 },
  { items: 20, bytes: 400 },
  { items: 10, bytes: 200 },
  { items: 5, bytes: 100 },
  { items: 2, bytes: 50 },
  { items: 0, bytes: 20 },
];

type Cut = (typeof CUTS)[number];

function cutTo(value: unknown, cut: Cut): unknown {
  if (typeof value === "string") return cutText(value, cut.bytes);
  if (Array.isArray(value)) return value.slice(0, cut.items).map((each) => cutTo(each, cut));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutTo(each, cut)]));
}

/**
 * An answer of a tool as JSON text of at most 4 KB: `{answer}`, or `{isCut: true, answer}` where lists and texts had to be shortened;
 * `answer` is null where that was not enough.
 */
export function cutJson(answer: unknown): string {
  const whole = JSON.stringify({ answer });
  if (bytesOf(whole) <= MAX_ANSWER) return whole;
  const cuts = CUTS.map((cut) => () => JSON.stringify({ isCut: true, answer: cutTo(answer, cut) }));
  for (const cut of cuts) {
    const text = cut();
    if (bytesOf(text) <= MAX_ANSWER) return text;
  }
  return JSON.stringify({ isCut: true, answer: null });
}
