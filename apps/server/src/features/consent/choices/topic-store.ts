import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "../../email/addresses/public.ts";

/** SQL: the owner of the address (`lane`, `key`) wants the topic of the campaign `c`, which has one. */
export const addressWantsSql = (c: string, { lane, key }: { lane: string; key: string }): SqlText =>
  sqlText(`coalesce(
    (select o.is_in from ${t.topicChoices} o
      where o.lane = ${lane} and o.address_key = ${key} and o.topic_id = ${c}.topic_id and o.project_id = ${c}.project_id),
    (select p.is_default_in from ${t.topics} p where p.id = ${c}.topic_id)
  )`);

/** What owners of some addresses chose of a topic (UUID). Those who have chosen nothing are missing. */
export const findTopicChoices = rowsStatement<
  AddressRef & { projectId: string; topicId: string },
  { address_key: string; is_in: boolean }
>(
  { name: "find_topic_choices", reach: "key" },
  { lane: "int2", addressKey: "uuid", projectId: "uuid", topicId: "uuid" },
  ` select o.address_key, o.is_in from input i
  join ${t.topicChoices} o
    on o.lane = i.lane and o.address_key = i.address_key and o.topic_id = i.topic_id and o.project_id = i.project_id`,
);
