import { type RawBuilder, sql } from "kysely";
import { MAX_PAGE_TEXT } from "../../content/template/template.pure.ts";
import { variantIndexSql } from "./audience-store.ts";
import { type CensusVariant, type CountedField, type Gaps, isAlike } from "./gaps.pure.ts";

/** What JavaScript's `trim` takes away (ECMA-262, WhiteSpace and LineTerminator). */
const BLANKS =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";

const isBlank = (text: RawBuilder<unknown>) => sql`btrim(${text}, ${BLANKS}) = ''`;

/** SQL: the same as `readTemplateUser` says of a text that came with a publishable key. Most texts have no dot, and need no second look. */
const isUnfit = (text: RawBuilder<unknown>) =>
  sql`(length(${text}) > ${sql.lit(MAX_PAGE_TEXT)} or position('://' in ${text}) > 0
    or (position('.' in ${text}) > 0 and lower(${text} collate "C") like '%www.%'))`;

/** SQL: the entries of a list that a text shows, joined. Lists in it, objects and null are shown as nothing. */
const joined = (list: RawBuilder<unknown>) => sql`(
    select coalesce(string_agg(e #>> '{}', '' order by ord), '')
    from jsonb_array_elements(${list}) with ordinality x (e, ord)
    where jsonb_typeof(e) not in ('object', 'array', 'null')
  )`;

/** The column with the text of a counted field's value. */
const textOf = (at: number) => sql`u.${sql.id(`text_${at}`)}`;

/** SQL: the text of the value of a trait, as `->>` writes it. PostgreSQL has no text with NUL, so no user has such a trait. */
function valueText(trait: string): RawBuilder<unknown> {
  if (trait === "id") return sql`u.external_id`;
  return trait.includes("\0") ? sql`null::text` : sql`u.traits ->> ${trait}::text`;
}

/** SQL: the same as `leavesGap` of the person that `readTemplateUser` makes of the user `u`, which has `gapColumns`. */
function leavesGapSql(trait: string, at: number, readsLists: boolean): RawBuilder<boolean> {
  const text = textOf(at);
  if (trait === "id") return sql`(${isBlank(text)} or (u.server_traits is null and ${isUnfit(text)}))`;
  const value = sql`(u.traits -> ${trait.replaceAll("\0", "")}::text)`;
  const isOfPage = sql`${trait.replaceAll("\0", "")}::text = any(u.server_traits) is not true`;
  const ofText = sql`${isUnfit(text)} and jsonb_typeof(${value}) = 'string' and ${isOfPage}`;
  const ofList = readsLists
    ? sql`jsonb_array_length(${value}) = 0 or (${isUnfit(joined(value))} and ${isOfPage})`
    : sql`true`;
  // Objects and lists begin with a bracket. What begins with a letter or a digit is not blank, which costs most to find out.
  return sql`(${text} is null or case
      when ascii(${text}) in (91, 123) then case jsonb_typeof(${value}) when 'object' then true when 'array' then ${ofList} else ${ofText} end
      when ascii(${text}) between 33 and 126 then ${ofText}
      else ${isBlank(text)} or (${ofText}) end)`;
}

/** The bit that says whether a user's text has the field, and the one whether it has a gap there. */
const usedBit = (field: number): number => 2 ** (2 * field);
const gapBit = (field: number): number => 2 ** (2 * field + 1);
const bit = (value: number) => sql`${sql.lit(value)}::int8`;

function bitsOfVariant(fields: readonly CountedField[], variant: number): RawBuilder<unknown> {
  const bits = fields.flatMap(({ trait, uses }, at) => {
    const use = uses[variant];
    if (!use) return [];
    const gap = leavesGapSql(trait, at, use.readsLists);
    return [sql`case when ${gap} then ${bit(usedBit(at) + gapBit(at))} else ${bit(usedBit(at))} end`];
  });
  return bits.length === 0 ? bit(0) : sql.join(bits, sql` + `);
}

/** The columns of `users` that `gapColumns` reads. */
export const GAP_COLUMNS = sql`u.traits, u.server_traits, u.external_id`;

/**
 * SQL: the columns that `gapBits` reads, of users with `GAP_COLUMNS`. A statement selects them below `offset 0`, so that PostgreSQL reads
 * each value once for a user.
 */
export const gapColumns = ({ fields }: Gaps): RawBuilder<unknown> =>
  sql.join([
    GAP_COLUMNS,
    ...fields.map(({ trait }, at) => sql`${valueText(trait)} as ${sql.id(`text_${at}`)}`),
  ]);

/**
 * SQL: the bits of the user `u` for the fields of the variant that the user draws, an `int8`. `u` has a `draw_key` and `gapColumns`. A
 * statement that counts it more than once selects it below `offset 0` too.
 */
export function gapBits(
  campaignId: string,
  variants: readonly CensusVariant[],
  gaps: Gaps,
): RawBuilder<unknown> {
  const drawn = variants.flatMap(({ weight }, index) => (weight === 0 ? [] : [index]));
  if (isAlike(gaps, variants)) return bitsOfVariant(gaps.fields, drawn[0] ?? 0);
  const cases = drawn.map((index) => sql`when ${sql.lit(index)} then ${bitsOfVariant(gaps.fields, index)}`);
  return sql`case ${variantIndexSql(campaignId, variants)} ${sql.join(cases, sql` `)} end`;
}

/** SQL: for each field how many of the users of a group have bits for it, and have a gap there: aggregates of the column `bits`. */
export const gapAggregates = ({ fields }: Gaps): RawBuilder<unknown>[] =>
  fields.flatMap((_, at) =>
    [usedBit(at), gapBit(at)].map((one) => sql`count(*) filter (where bits & ${bit(one)} <> 0)`),
  );

/** What `gapAggregates` came to, in pairs, as counts. */
export const readGapCounts = (found: readonly number[]): { all: number; users: number }[] =>
  found.flatMap((all, at) => (at % 2 === 0 ? [{ all, users: found[at + 1] ?? 0 }] : []));
