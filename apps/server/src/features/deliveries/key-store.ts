import { type RawBuilder, sql } from "kysely";
import { type DeliveryKey, FIRST_OCCASION } from "../../domain/ids.ts";
import { type SqlText, sqlText } from "../../platform/db/statements/sql-text.ts";

/** The columns of a delivery's key, in every table whose rows belong to deliveries. */
export type KeyColumn = "lane" | "user_key" | "campaign_id" | "occasion";

/** The columns of a delivery's key, in the order of the index. */
const KEY: readonly KeyColumn[] = ["lane", "user_key", "campaign_id", "occasion"];

/** The columns that name a delivery and its project. */
export type DeliveryColumn = KeyColumn | "project_id";

/** The columns of a delivery's key, for rows of `rowsStatement`. */
export const KEY_COLUMNS = { lane: "int2", userKey: "uuid", campaignId: "uuid", occasion: "int4" } as const;

/** The columns that name a delivery and its project, for rows of `rowsStatement`. */
export const DELIVERY_COLUMNS = { ...KEY_COLUMNS, projectId: "uuid" } as const;

const listOf = (columns: readonly KeyColumn[], alias?: string): string =>
  columns.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(", ");

/** The delivery that a row of a statement belongs to. Its lane follows from its user. */
export type DeliveryRow = { user_key: string; campaign_id: string; occasion: number };

/** The key of a row of a statement, as `deliveryText` has it. */
export const keyOfRow = (row: DeliveryRow): string => row.user_key + row.campaign_id + row.occasion;

/** SQL of the columns of `DeliveryRow`. */
export const deliveryRow = (alias?: string): SqlText =>
  sqlText(listOf(["user_key", "campaign_id", "occasion"], alias));

/** SQL of the columns of a delivery's key, as a list: to insert, select, group or order them. */
export const deliveryKey = (alias?: string): SqlText => sqlText(listOf(KEY, alias));

/** SQL of the key of a withheld delivery, as a list. */
export const withheldKey = (alias?: string): SqlText =>
  sqlText(listOf(["lane", "user_key", "campaign_id"], alias));

/**
 * SQL condition: the rows `a` and `b` belong to the same delivery. @param columns those to compare, where a row has its user in another column,
 * or has no lane
 */
export const sameDelivery = (a: string, b: string, columns: readonly KeyColumn[] = KEY): SqlText =>
  sqlText(columns.map((column) => `${a}.${column} = ${b}.${column}`).join(" and "));

/** SQL condition: the row `a` belongs to the delivery that `b` names. Compares the project too, because `b` comes from a caller. */
export const onDelivery = (a: string, b: string): SqlText =>
  sqlText(`${sameDelivery(a, b)} and ${a}.project_id = ${b}.project_id`);

/** SQL condition: the row `a` belongs to this delivery of its project. */
export const isDelivery = (
  a: string,
  projectId: string,
  { lane, userKey, campaignId, occasion }: DeliveryKey,
): RawBuilder<boolean> => sql`(${sql.ref(`${a}.lane`)} = ${lane} and ${sql.ref(`${a}.user_key`)} = ${userKey}
  and ${sql.ref(`${a}.campaign_id`)} = ${campaignId} and ${sql.ref(`${a}.occasion`)} = ${occasion}
  and ${sql.ref(`${a}.project_id`)} = ${projectId})`;

/**
 * SQL condition: the rows `a` and `b` belong to the same campaign and user, on whichever occasion. A withheld delivery names no occasion: who
 * was held out of a campaign once gets it on none.
 */
export const sameCampaign = (a: string, b: string): SqlText =>
  sqlText(`${a}.lane = ${b}.lane and ${a}.user_key = ${b}.user_key and ${a}.campaign_id = ${b}.campaign_id`);

/**
 * SQL condition: the row `a` of a table with deliveries is on the first occasion. A plan decides about that one, and statistics count users by it: a
 * user is drawn into a variant, or held out, once.
 */
export const onFirstOccasion = (a: string | SqlText): SqlText => sqlText(`${a}.occasion = ${FIRST_OCCASION}`);

/**
 * SQL condition: the row `a` belongs to a campaign (UUID) and the user of the row `u`. PostgreSQL does not see which campaign it is while
 * it plans: of one that its statistics do not know yet it would expect no rows, and read all of them for each user.
 */
export const isCampaignOf = (a: string, u: string, campaignId: string): RawBuilder<boolean> =>
  sql`${sqlText(`${a}.lane = ${u}.lane and ${a}.user_key = ${u}.user_key and ${a}.campaign_id`)} = (select ${campaignId}::uuid)`;

/** SQL that locks the rows `alias` of a select, which have the key of a delivery, in the order in which all statements lock them. */
export const lockedInOrder = (alias: string): SqlText =>
  sqlText(`order by ${deliveryKey(alias)} for no key update of ${alias}`);
