import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "../../email/addresses/public.ts";
import type { ConsentAction, ConsentVia } from "./rules.ts";

/** The reader who chooses: the owner of an address, for email, or a user, for pushes. `lane` and `key` are those of their row. */
export type Chooser = { channel: "email" | "push"; lane: number; key: string };

export const ofAddress = ({ lane, addressKey: key }: AddressRef): Chooser => ({
  channel: "email",
  lane,
  key,
});
export const ofUser = ({ lane, userKey: key }: UserRef): Chooser => ({ channel: "push", lane, key });

/**
 * How it came to a choice, for the log. `at` is epoch milliseconds; `source`: where that was, as the customer calls it; `formHash`: SHA-256 of what the
 * form said, in hexadecimal; `by`: who of the team; `requestId` (UUID): the request that is confirmed.
 */
export type ConsentProof = {
  at: number;
  via: ConsentVia;
  source?: string | null;
  by?: string | null;
  formHash?: string | null;
  requestId?: string | null;
  ip?: string | null;
};

/** A topic (UUID), and whether its messages are wanted. */
export type Choice = { topicId: string; isIn: boolean };

/** Writes choices of an address; answers the topics of which something changed. Needs `keepAddress` before. */
async function writeAddressChoices(
  tx: Db,
  projectId: string,
  { lane, key }: Chooser,
  choices: readonly Choice[],
  at: number,
): Promise<string[]> {
  const { rows } = await sql<{ topicId: string }>`
    insert into ${t.topicChoices} as o (lane, address_key, topic_id, project_id, is_in, chosen_at)
    select ${lane}::int2, ${key}::uuid, c.topic_id, ${projectId}::uuid, c.is_in, ${at}::int8
    from unnest(${choices.map(({ topicId }) => topicId)}::uuid[], ${choices.map(({ isIn }) => isIn)}::bool[]) c (topic_id, is_in)
    order by c.topic_id
    on conflict (lane, address_key, topic_id) do update set is_in = excluded.is_in, chosen_at = excluded.chosen_at
      where o.is_in <> excluded.is_in
    returning o.topic_id as "topicId"`.execute(tx);
  return rows.map(({ topicId }) => topicId);
}

/** The same of a user, for pushes. */
async function writePushChoices(
  tx: Db,
  projectId: string,
  { lane, key }: Chooser,
  choices: readonly Choice[],
  at: number,
): Promise<string[]> {
  const { rows } = await sql<{ topicId: string }>`
    insert into ${t.pushTopicChoices} as o (lane, user_key, topic_id, project_id, is_in, chosen_at)
    select ${lane}::int2, ${key}::uuid, c.topic_id, ${projectId}::uuid, c.is_in, ${at}::int8
    from unnest(${choices.map(({ topicId }) => topicId)}::uuid[], ${choices.map(({ isIn }) => isIn)}::bool[]) c (topic_id, is_in)
    order by c.topic_id
    on conflict (lane, user_key, topic_id) do update set is_in = excluded.is_in, chosen_at = excluded.chosen_at
      where o.is_in <> excluded.is_in
    returning o.topic_id as "topicId"`.execute(tx);
  return rows.map(({ topicId }) => topicId);
}

/** Writes choices; answers the topics (UUIDs) of which something changed. */
export const writeChoices = (
  tx: Db,
  projectId: string,
  chooser: Chooser,
  choices: readonly Choice[],
  at: number,
): Promise<string[]> =>
  chooser.channel === "email"
    ? writeAddressChoices(tx, projectId, chooser, choices, at)
    : writePushChoices(tx, projectId, chooser, choices, at);

/** Adds to the log what happened of some topics (UUIDs); null is all mail at once. */
export async function logConsents(
  tx: Db,
  projectId: string,
  { channel, lane, key }: Chooser,
  acts: readonly { topicId: string | null; action: ConsentAction }[],
  proof: ConsentProof,
): Promise<void> {
  if (acts.length === 0) return;
  const whose =
    channel === "email" ? { addressLane: lane, addressKey: key } : { userLane: lane, userKey: key };
  await tx
    .insertInto("consents")
    .values(acts.map((act) => ({ projectId, ...whose, ...act, ...proof })))
    .execute();
}

/** What a reader has chosen; the topics of which they have chosen nothing are missing. */
export type ChosenTopic = { topicId: string; isIn: boolean; chosenAt: number };

const chosenBy = (projectId: string, { channel, lane, key }: Chooser): RawBuilder<unknown> =>
  channel === "email"
    ? sql`${t.topicChoices} o where o.lane = ${lane} and o.address_key = ${key} and o.project_id = ${projectId}`
    : sql`${t.pushTopicChoices} o where o.lane = ${lane} and o.user_key = ${key} and o.project_id = ${projectId}`;

export async function readChoices(db: Db, projectId: string, chooser: Chooser): Promise<ChosenTopic[]> {
  const { rows } = await sql<ChosenTopic>`
    select o.topic_id as "topicId", o.is_in as "isIn", o.chosen_at as "chosenAt" from ${chosenBy(projectId, chooser)}`.execute(
    db,
  );
  return rows;
}

/** What was chosen of one topic (UUID); null where nothing was. */
export async function readTopicChoice(
  db: Db,
  projectId: string,
  chooser: Chooser,
  topicId: string,
): Promise<ChosenTopic | null> {
  const { rows } = await sql<ChosenTopic>`
    select o.topic_id as "topicId", o.is_in as "isIn", o.chosen_at as "chosenAt"
    from ${chosenBy(projectId, chooser)} and o.topic_id = ${topicId}`.execute(db);
  return rows[0] ?? null;
}

/** An entry of the log. The address is null where its user was erased, or it is about a user, and the other way round. */
export type ConsentRow = {
  id: number;
  isOfAddress: boolean;
  topicKey: string | null;
  action: ConsentAction;
  at: number;
  via: ConsentVia;
  source: string | null;
  formHash: string | null;
  by: string | null;
  ip: string | null;
  address: string | null;
  externalId: string | null;
};

/** Entries of the log, the newest first; of one chooser, or of all. */
export async function listConsentRows(
  db: Db,
  projectId: string,
  { choosers, before, limit }: { choosers: readonly Chooser[] | null; before: number | null; limit: number },
): Promise<ConsentRow[]> {
  const conditions: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
  if (choosers !== null)
    conditions.push(
      sql`(${sql.join(
        choosers.map(({ channel, lane, key }) =>
          channel === "email"
            ? sql`(c.address_lane = ${lane} and c.address_key = ${key})`
            : sql`(c.user_lane = ${lane} and c.user_key = ${key})`,
        ),
        sql` or `,
      )})`,
    );
  if (before !== null) conditions.push(sql`c.id < ${before}`);
  const { rows } = await sql<ConsentRow>`
    select c.id, c.address_key is not null as "isOfAddress", p.key as "topicKey", c.action, c.at, c.via, c.source, c.form_hash as "formHash", c.by, c.ip, a.address,
      u.external_id as "externalId"
    from ${t.consents} c
    left join ${t.topics} p on p.id = c.topic_id
    left join ${t.emailAddresses} a
      on a.lane = c.address_lane and a.address_key = c.address_key and a.project_id = c.project_id
    left join ${t.users} u on u.lane = c.user_lane and u.user_key = c.user_key and u.project_id = c.project_id
    where ${sql.join(conditions, sql` and `)}
    order by c.id desc limit ${limit}`.execute(db);
  return rows;
}

/**
 * Forgets what a user who is being erased chose for pushes, and what was joined with addresses that no user has any more; that such an address left a
 * topic stays, as its hash. The log stays too, without who a person was. Call it when the addresses were forgotten.
 */
export async function eraseChoices(
  tx: Db,
  projectId: string,
  { user, anonymised }: { user: UserRef; anonymised: UserRef },
  addresses: readonly AddressRef[],
): Promise<void> {
  await tx
    .deleteFrom("pushTopicChoices")
    .where("lane", "=", user.lane)
    .where("userKey", "=", user.userKey)
    .where("projectId", "=", projectId)
    .execute();
  await tx
    .updateTable("consents")
    .set({ userLane: anonymised.lane, userKey: anonymised.userKey, ip: null, source: null })
    .where("userLane", "=", user.lane)
    .where("userKey", "=", user.userKey)
    .where("projectId", "=", projectId)
    .execute();
  if (addresses.length === 0) return;
  const lanes = addresses.map(({ lane }) => lane);
  const keys = addresses.map(({ addressKey }) => addressKey);
  const forgotten = sql`
    select a.lane, a.address_key from ${t.emailAddresses} a
    where a.lane = any(${lanes}::int2[]) and a.address_key = any(${keys}::uuid[]) and a.project_id = ${projectId} and a.address is null`;
  await sql`
    delete from ${t.topicChoices} o
    where (o.lane, o.address_key) in (${forgotten}) and o.project_id = ${projectId} and o.is_in`.execute(tx);
  await sql`
    update ${t.consents} c set ip = null, source = null
    where (c.address_lane, c.address_key) in (${forgotten}) and c.project_id = ${projectId}
      and (c.ip is not null or c.source is not null)`.execute(tx);
}
