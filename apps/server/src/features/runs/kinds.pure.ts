/** Kinds of runs that Tidings writes itself. */
const SERVER_KINDS = ["approval", "mutate", "launch", "guardrail", "warning", "source"] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

/** Those of them that programs may log as well: the run says who wrote it. */
const SHARED: ReadonlySet<string> = new Set<ServerKind>(["approval", "mutate", "launch"]);

/** Letters of other scripts that look like letters of the kinds above, and digits and signs that are taken for them. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  а: "a",
  α: "a",
  ɑ: "a",
  "@": "a",
  с: "c",
  ϲ: "c",
  ԁ: "d",
  е: "e",
  ҽ: "e",
  ε: "e",
  "3": "e",
  ɡ: "g",
  ց: "g",
  һ: "h",
  հ: "h",
  і: "i",
  ι: "i",
  ı: "i",
  ӏ: "l",
  "1": "l",
  "|": "l",
  м: "m",
  п: "n",
  ո: "n",
  η: "n",
  о: "o",
  ο: "o",
  օ: "o",
  "0": "o",
  р: "p",
  ρ: "p",
  г: "r",
  ѕ: "s",
  "5": "s",
  $: "s",
  т: "t",
  τ: "t",
  υ: "u",
  ս: "u",
  ц: "u",
  ν: "v",
  ѵ: "v",
  ԝ: "w",
  ѡ: "w",
  ω: "w",
};
/** Letters of these kinds for which one sign is taken that looks like several of them. */
const SAME_SHAPE: Readonly<Record<string, string>> = { i: "l" };

/** A kind as it looks: without case, accents, spaces, marks and what cannot be seen, in the characters that it is taken for. */
function looks(kind: string): string {
  const plain = kind.normalize("NFKD").toLowerCase().normalize("NFKD");
  const bare = plain.replaceAll(/[\p{M}\p{C}\p{Z}\p{P}\s]/gu, (sign) => LOOKS_LIKE[sign] ?? "");
  return [...bare]
    .map((sign) => LOOKS_LIKE[sign] ?? sign)
    .map((sign) => SAME_SHAPE[sign] ?? sign)
    .join("");
}

const BY_LOOKS: ReadonlyMap<string, ServerKind> = new Map(SERVER_KINDS.map((kind) => [looks(kind), kind]));

/** Why a program may not log a run of this kind, or null: some kinds are Tidings' own, and no kind may be taken for one of its kinds. */
export function kindFault(kind: string): string | null {
  if (SHARED.has(kind)) return null;
  const own = BY_LOOKS.get(looks(kind));
  if (own === undefined) return null;
  if (own === kind) return `kind must be another one: runs of kind ${own} are written by Tidings alone`;
  return `kind must not look like ${own}, which Tidings writes itself`;
}
