import { FIRST_OCCASION } from "../../../domain/ids.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";

/** SQL condition: the rows `a` and `b` of recipients or slots are of the same recipient, of a delivery or of a test. */
export const sameRecipient = (a: string, b: string): SqlText =>
  sqlText(`${a}.lane = ${b}.lane and ${a}.user_key = ${b}.user_key and ${a}.send_id = ${b}.send_id`);

/**
 * SQL condition: the recipient `a` is that of a delivery, not of a test. A test belongs to no delivery: its rows keep the default occasion,
 * which is the first one, with a `send_id` of their own. So no row that is stored had to change, and no further column tells tests apart.
 */
export const ofDelivery = (a: string | SqlText): SqlText =>
  sqlText(`(${a}.send_id = ${a}.campaign_id or ${a}.occasion <> ${FIRST_OCCASION})`);

/** SQL condition: the recipient `a` is that of a delivery on the first occasion, about which the sweep decides. Finds it by its key. */
export const ofFirstDelivery = (a: string): SqlText => sqlText(`${a}.send_id = ${a}.campaign_id`);
