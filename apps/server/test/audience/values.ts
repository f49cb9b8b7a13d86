/** What tells sloppy engines apart. */
export const KEYS: readonly string[] = [
  "plan",
  "a.b",
  "a b",
  "$",
  "*",
  // Not a quote alone: V8 13.6 reads an escape at the start of a key as a backslash where another object has that key.
  'q"',
  "\\",
  "",
  "é💥",
  "constructor",
  "__proto__",
  "x".repeat(128),
];
export const TRAIT_KEYS: readonly string[] = KEYS.filter((key) => key !== "");
export const EVENTS: readonly string[] = ["signed_up", "Order paid", "toString", "e'\"\\$"];
export const TEXTS: readonly string[] = [
  "",
  "pro",
  "Pro",
  "pro ",
  " pro",
  "p",
  "ro",
  "prop",
  "ppro",
  "5",
  "0",
  "true",
  "null",
  "é",
  "e\u0301",
  "💥",
  "a💥b",
  "\ud83d\udca5\ud83d\udca6",
  "a.c",
  "abc",
  "a+c",
  "^pro$",
  "pro\n",
  "\npro",
  "$",
  "\\",
  "\\d",
  "(",
  "[a]",
  "***:x",
  "%",
  "_",
  "'",
  '"',
  "\t",
  "\u2028",
  "\u007f",
  "ß",
  "SS",
  "İ",
];
/** Ids of so many users, the odd ones first. */
export const idsOf = (users: number): string[] =>
  [
    ...TEXTS.filter((text) => text !== ""),
    ...Array.from({ length: users }, (_, index) => `user-${index}`),
  ].slice(0, users);
export const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  5,
  5.5,
  -5,
  0.1,
  0.30000000000000004,
  1e21,
  1e-7,
  123456789012345680000,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  -Number.MAX_VALUE,
  1e308,
  2 ** 53,
  2 ** 63,
];
export const NEARLY_TIMES: readonly string[] = [
  "2026-02-29T00:00:00Z",
  "2024-02-29T00:00:00Z",
  "1900-02-29T00:00Z",
  "2000-02-29T00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-04-30T23:59:59.999999999+23:59",
  "2026-01-01",
  "2026-01-01T00:00:00",
  "2026-01-01 00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01T00:00:00+24:00",
  "2026-01-01T00:00:00+23:60",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-32T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59.999-23:59",
  "2026-01-01T00:00:00.Z",
  "2026-01-01T00:00:00.1234567890Z",
  "2026-01-01T00:00:00,5Z",
  "2026-01-01t00:00:00z",
  "2026-01-01T00:00Z ",
  " 2026-01-01T00:00Z",
  "2026-01-01T00:00:00Z\n",
  "20260101T000000Z",
  "Z",
  "+00:00",
  "2026-01-01T00:00:00+0100",
  "٢٠٢٦-01-01T00:00:00Z",
  "1969-12-31T23:59:59.9999Z",
  "+002026-01-01T00:00:00Z",
  "2026-01-01T00:00:00Z[UTC]",
];

export const STRUCTURES: readonly unknown[] = [
  [],
  ["pro"],
  [5],
  [null],
  {},
  { plan: "pro" },
  { "a.b": 5 },
  [["pro"]],
];

const DAY = 86_400_000;
export const WINDOWS = [
  { amount: 1, unit: "days" },
  { amount: 7, unit: "days" },
  { amount: 24, unit: "hours" },
  { amount: 1, unit: "minutes" },
  { amount: 90, unit: "minutes" },
  { amount: 3_650, unit: "days" },
];
/** The same windows in milliseconds. */
export const WINDOW_LENGTHS: readonly number[] = [60_000, 90 * 60_000, DAY, 7 * DAY, 3_650 * DAY];

/** Times at the edges of the windows, back and ahead, a millisecond and a day to either side, written with far offsets. */
function edgeTimes(now: number): string[] {
  const edges = [0, ...WINDOW_LENGTHS, ...WINDOW_LENGTHS.map((length) => -length)].flatMap((length) =>
    [-DAY, -1, 0, 1, DAY].map((by) => now - length + by),
  );
  return edges.flatMap((at, index) => {
    const minutes = index % 2 === 0 ? 1_439 : -1_439;
    const far = new Date(at + minutes * 60_000).toISOString().slice(0, -1);
    return [new Date(at).toISOString(), `${far}999${minutes > 0 ? "+" : "-"}23:59`];
  });
}

/** Every kind of value that a trait or property may have; undefined stands for none. */
export const observedValues = (now: number): readonly unknown[] => [
  undefined,
  null,
  true,
  false,
  ...TEXTS,
  ...NUMBERS,
  ...STRUCTURES,
  ...NEARLY_TIMES,
  ...edgeTimes(now),
];

/** Every operator with every kind of value to compare to. */
export function comparisons(now: number): readonly { op: string; value?: unknown }[] {
  const each = (ops: readonly string[], values: readonly unknown[]) =>
    ops.flatMap((op) => values.map((value) => ({ op, value })));
  const times = edgeTimes(now).filter((_, index) => index % 3 === 0);
  return [
    { op: "exists" },
    { op: "not_exists" },
    ...each(["eq", "neq"], [...TEXTS, ...NUMBERS, true, false]),
    ...each(["in", "not_in"], [["pro"], [5], TEXTS, NUMBERS, ["", "true"], [0, 1], NEARLY_TIMES.slice(0, 3)]),
    ...each(["contains", "starts_with", "ends_with"], TEXTS),
    ...each(["gt", "gte", "lt", "lte"], NUMBERS),
    ...each(["before", "after"], [...times, "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999-23:59"]),
    ...each(["within_last", "not_within_last", "within_next", "not_within_next"], WINDOWS),
  ];
}
