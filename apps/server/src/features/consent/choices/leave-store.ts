import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "../../email/addresses/public.ts";
import type { ConsentVia } from "./rules.ts";

/** An address whose owner leaves a topic (UUID), or with null all mail, which is stopped elsewhere. `at` is epoch milliseconds. */
export type Leaving = AddressRef & { projectId: string; topicId: string | null; at: number; via: ConsentVia };

/**
 * Has owners of addresses leave topics, and logs it where they had not left before; logs that they left all mail. An address and topic may be given
 * several times.
 */
export const leaveTopics = rowsStatement<Leaving, Record<never, never>>(
  { name: "leave_topics", reach: "key" },
  { lane: "int2", addressKey: "uuid", projectId: "uuid", topicId: "uuid", at: "int8", via: "text" },
  `,
  leaving as (
    select distinct on (lane, address_key, topic_id) lane, address_key, project_id, topic_id, at, via from input
    order by lane, address_key, topic_id, at
  ),
  changed as (
    insert into ${t.topicChoices} as o (lane, address_key, topic_id, project_id, is_in, chosen_at)
    select lane, address_key, topic_id, project_id, false, at from leaving where topic_id is not null
    on conflict (lane, address_key, topic_id) do update set is_in = false, chosen_at = excluded.chosen_at where o.is_in
    returning o.lane, o.address_key, o.topic_id
  )
  insert into ${t.consents} (project_id, address_lane, address_key, topic_id, action, at, via)
  select l.project_id, l.lane, l.address_key, l.topic_id, 'left', l.at, l.via
  from leaving l
  where l.topic_id is null or (l.lane, l.address_key, l.topic_id) in (select c.lane, c.address_key, c.topic_id from changed c)
  order by l.lane, l.address_key, l.topic_id`,
);
