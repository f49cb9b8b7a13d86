/** A statement of one line is broken where it is longer than this. */
const LONGEST_LINE = 110;

/** Words that begin a line, where they stand outside of brackets. */
const CLAUSES =
  /^(?:with|select|from|(?:left |inner |cross )?join|where|group by|having|order by|limit|offset|for (?:no key )?(?:update|share)|insert into|values|on conflict|do (?:update|nothing)|set|returning|update|delete from|union all)\b/;

/** The text without the indentation that all its lines have. */
function withoutIndentation(text: string): string {
  const lines = text
    .replace(/^\s*\n/, "")
    .trimEnd()
    .split("\n");
  // The first line may follow the quotation mark in the source, and so have none.
  const depths = lines.flatMap((line, n) =>
    line.trim() === "" || (n === 0 && !line.startsWith(" ")) ? [] : [/^ */.exec(line)?.[0].length ?? 0],
  );
  const depth = Math.min(...depths, Number.MAX_SAFE_INTEGER);
  return lines
    .map((line) => (line.startsWith(" ") ? line.slice(Math.min(depth, line.search(/\S|$/))) : line).trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}

/** Quotation marks around names that need none, as Kysely writes them. */
const QUOTED = /"([a-z_][a-z0-9_]*)"/g;
/** Names that mean something else without quotation marks. */
const KEPT = new Set([
  "user",
  "default",
  "order",
  "group",
  "end",
  "to",
  "table",
  "position",
  "key",
  "name",
  "value",
  "at",
]);

/** A statement of one line, each clause on a line of its own. */
function inClauses(text: string): string {
  let depth = 0;
  let broken = "";
  let isQuoted = false;
  for (let place = 0; place < text.length; place++) {
    const character = text[place] ?? "";
    if (character === "'" || character === '"') isQuoted = !isQuoted;
    if (!isQuoted && character === "(") depth++;
    if (!isQuoted && character === ")") depth--;
    const begins = !isQuoted && depth === 0 && character === " " && CLAUSES.test(text.slice(place + 1));
    // "on conflict … do update set" and "for update" each stay together.
    const isWithin = /(?:\bdo update|\bfor(?: no key)?|\binner|\bleft|\bcross)$/.test(text.slice(0, place));
    broken += begins && !isWithin ? "\n" : character;
  }
  return broken;
}

/** How the query builder begins a statement: with a name in quotation marks. */
const BUILT = /^(?:with|select|insert into|update|delete from) (?:distinct )?"/;

/** A statement as one reads it: as it stands in the source, or clause by clause where the query builder has made it. */
export function laidOut(text: string): string {
  const plain = text.trim();
  const isBuilt = BUILT.test(plain) || !plain.includes("\n");
  if (!isBuilt) return withoutIndentation(text);
  const named = plain.replaceAll(QUOTED, (quoted, name: string) => (KEPT.has(name) ? quoted : name));
  return named.length <= LONGEST_LINE ? named : inClauses(named);
}
