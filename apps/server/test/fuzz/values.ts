import type { Random } from "../crash/random.ts";
import { Raw } from "./json.ts";

const half = (code: string): Raw => new Raw(`"a${code}b"`);

/** Text that was trouble for other programs before. */
export const TEXTS: readonly string[] = [
  "",
  " ",
  "a",
  "0",
  "-1",
  "1e3",
  "NaN",
  "Infinity",
  "null",
  "true",
  "undefined",
  "\t\r\n",
  "💥",
  "👩‍👩‍👧‍👦",
  "𠜎𠜱",
  "\u202eright to left\u202c",
  "שלום",
  "e\u0301\u0301\u0301",
  `a${"\u0300".repeat(300)}`,
  "\ufeff",
  "\u200b",
  "\u2028\u2029",
  "\u0007\u001b[31m",
  "\uffff",
  "İIıi",
  "ß",
  "ﷺ",
  "%00",
  "%",
  "_",
  "\\",
  "'; drop table users; --",
  '"',
  "$1",
  "$$",
  "{}",
  "{{ user.name }}",
  "{% for a in (1..9999999) %}{{ a }}{% endfor %}",
  "{{",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "/",
  "//",
  "/*",
  "**",
  "javascript:alert(1)",
  "https://[::1",
  "https://user:pass@host.example:99999/",
  "http://ex ample.com",
  "mailto:a@b",
  "a@b.example",
  "a@b.example\r\nBcc: c@d.example",
  "2026-02-30",
  "2026-01-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "0001-01-01T00:00:00+23:59",
  "9999-12-31T23:59:59-23:59",
  "-271821-04-20T00:00:00Z",
  "__proto__",
  "constructor",
  "toString",
  "eu_",
  "cmp_019b0000-0000-7000-8000-00000000000G",
  "a".repeat(200),
  "💥".repeat(129),
  "(a+)+$".repeat(20),
];

const NUMBERS: readonly unknown[] = [
  0,
  -1,
  1,
  1.5,
  0.1,
  1e-300,
  5e-324,
  1e21,
  1.7976931348623157e308,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 63,
  1_800_000_000_000,
  new Raw("-0"),
  new Raw("-0.0"),
  new Raw("1e400"),
  new Raw("-1e400"),
  new Raw("1E-400"),
  new Raw("9223372036854775808"),
  new Raw("1.0"),
  new Raw("9".repeat(400)),
  new Raw("0.1000000000000000055511151231257827021181583404541015625"),
];

const STRUCTURES: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: 1 },
  [1, "a", null, {}],
  { length: -1 },
  { toString: 1, valueOf: 2, hasOwnProperty: 3 },
  new Raw('{"then":1,"toJSON":2}'),
  { "": {} },
  { kind: "nonsense" },
  new Raw('{"__proto__":{"admin":true}}'),
  new Raw('{"constructor":{"prototype":{"admin":true}}}'),
  new Raw('{"a":1,"a":2}'),
  new Raw('{"__proto__":1,"a":2}'),
];

const UNSTORABLE: readonly unknown[] = [
  half("\\u0000"),
  half("\\ud800"),
  half("\\udc00"),
  half("\\udc00\\ud800"),
  new Raw('{"\\u0000":1}'),
  new Raw('{"a\\ud83d":1}'),
];

/** Names of keys that no program expects. */
export const KEYS: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
  "toJSON",
  "length",
  "",
  " ",
  "a.b",
  "$ref",
  "id",
  "projectId",
  "💥",
  "\u202e",
  "0",
  "k".repeat(3_000),
];

const SIZES = [300, 1_001, 4_097, 7_900, 20_000, 70_000];

function huge(random: Random): unknown {
  const size = random.pick(SIZES) ?? 300;
  const kinds = [
    () => "a".repeat(size),
    () => "💥".repeat(size / 4),
    () => "\\".repeat(size / 2),
    () => new Array<number>(Math.floor(size / 2)).fill(1),
    () => new Array<string>(Math.floor(size / 4)).fill("a"),
    () => Object.fromEntries(Array.from({ length: Math.floor(size / 10) }, (_, index) => [`k${index}`, 1])),
  ];
  return random.pick(kinds)?.();
}

const DEPTHS = [2, 10, 40, 62, 63, 64, 65, 500, 3_000];

/** A value inside so many lists, or so many objects. */
export function nested(random: Random, value: string): Raw {
  const depth = random.pick(DEPTHS) ?? 2;
  return random.chance(0.5)
    ? new Raw("[".repeat(depth) + value + "]".repeat(depth))
    : new Raw('{"a":'.repeat(depth) + value + "}".repeat(depth));
}

/** A value of any kind. */
export function anything(random: Random): unknown {
  const roll = random.int(100);
  if (roll < 32) return random.pick(TEXTS);
  if (roll < 52) return random.pick(NUMBERS);
  if (roll < 76) return random.pick(STRUCTURES);
  if (roll < 84) return random.pick(UNSTORABLE);
  if (roll < 92) return huge(random);
  return nested(random, "1");
}
