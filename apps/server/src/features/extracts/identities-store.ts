import { sql } from "kysely";
import { apiId, type UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { inIndexOrder } from "../../platform/db/in-index-order.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { findKeyRange, isInKeyRange } from "../audience/language/public.ts";
import type { RowPage } from "./walk.ts";

/** Users whose visitors one statement looks for. */
const USERS = 1_000;

/** A visitor who became a user: the ids of both, and when (epoch ms). */
export type ListedIdentity = {
  visitorId: string;
  endUserId: string;
  externalUserId: string;
  linkedAt: number;
};

/** When they became users; instants are epoch milliseconds, and included. */
export type ChosenIdentities = { since?: number | undefined; until: number };

/** The visitors who became one of the next users, by their keys. */
export async function nextIdentities(
  db: Db,
  projectId: string,
  { since = 0, until }: ChosenIdentities,
  after: UserRef | null,
): Promise<RowPage<ListedIdentity, UserRef>> {
  const range = await findKeyRange(db, projectId, after, USERS);
  const statement = sql<{ visitorKey: string; userKey: string; externalId: string; linkedAt: number }>`
    select l.user_key as "visitorKey", u.user_key as "userKey", u.external_id as "externalId", l.linked_at as "linkedAt"
    from (
      select u.lane, u.user_key, u.external_id from ${t.users} u
      where u.project_id = ${projectId} and ${isInKeyRange(range, "u")} and u.joined > 0
    ) u
    join ${t.identities} l on l.to_lane = u.lane and l.to_user_key = u.user_key
    where l.linked_at between ${since} and ${until}
    order by u.lane, u.user_key, l.linked_at, l.user_key`;
  const { rows } = await inIndexOrder(db, (tx) => statement.execute(tx));
  return {
    rows: rows.map(({ visitorKey, userKey, externalId, linkedAt }) => ({
      visitorId: apiId("eu", visitorKey),
      endUserId: apiId("eu", userKey),
      externalUserId: externalId,
      linkedAt,
    })),
    next: range.until,
  };
}
