import type { DeliveryKey, DeliveryRef } from "../../../domain/ids.ts";
import { rowFilter } from "../../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  deliveryKey,
  deliveryRow,
  KEY_COLUMNS,
  lockedInOrder,
  sameDelivery,
} from "../../deliveries/public.ts";
import { MAX_HITS } from "./rules.ts";

/** Locks the sends whose reply is unknown. `left_at`: when the message left, if it did (epoch milliseconds). */
export const lockUnknownAcrossProjects = rowsStatement<DeliveryKey, DeliveryRow & { left_at: number | null }>(
  { name: "lock_unknown", reach: "key" },
  KEY_COLUMNS,
  ` select ${deliveryRow("s")}, (
    select max(a.started_at) from ${t.emailAttempts} a where ${sameDelivery("a", "s")}
  ) as left_at
  from input i
  join ${t.emailSends} s on ${sameDelivery("s", "i")} and ${rowFilter("s.status = 'unknown'")}
  ${lockedInOrder("s")}`,
);

type LockedDelivery = DeliveryRow & {
  project_id: string;
  sent_at: number | null;
  opened_at: number | null;
  clicked_at: number | null;
};

/** Locks deliveries. Every statement that writes their hits takes this lock first, erasing a user included. */
export const lockDeliveriesAcrossProjects = rowsStatement<DeliveryKey, LockedDelivery>(
  { name: "lock_deliveries_of_hits", reach: "key" },
  KEY_COLUMNS,
  ` select ${deliveryRow("d")}, d.project_id, d.sent_at, d.opened_at, d.clicked_at from input i
  join ${t.deliveries} d on ${sameDelivery("d", "i")}
  ${lockedInOrder("d")}`,
);

export type HeadRow = DeliveryRow & {
  hits: number;
  honeypot_at: number | null;
  link: string | null;
  link_at: number | null;
  other_link_at: number | null;
};

/**
 * The heads of earlier hits. Its own statement after the one that locks the deliveries, so that it sees what was committed by then.
 */
export const findHeads = rowsStatement<DeliveryRef, HeadRow>(
  { name: "find_hit_heads", reach: "key" },
  DELIVERY_COLUMNS,
  ` select ${deliveryRow("h")}, h.hits, h.honeypot_at, h.link, h.link_at, h.other_link_at from input i
  join ${t.emailHitHeads} h on ${sameDelivery("h", "i")} and h.project_id = i.project_id`,
);

/** A judged hit, the head after it, and since which instants earlier hits that counted as people's were a bot's. */
export type JudgedHit = DeliveryRef & {
  kind: string;
  at: number;
  url: string | null;
  bot: string | null;
  hits: number;
  honeypotAt: number | null;
  link: string | null;
  linkAt: number | null;
  otherLinkAt: number | null;
  honeypotSince: number | null;
  burstSince: number | null;
};

/** Keeps hits, at most one of each message. Needs the lock on their deliveries. */
export const saveHits = rowsStatement<JudgedHit, Record<never, never>>(
  { name: "save_hits", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    kind: "text",
    at: "int8",
    url: "text",
    bot: "text",
    hits: "int4",
    honeypotAt: "int8",
    link: "text",
    linkAt: "int8",
    otherLinkAt: "int8",
    honeypotSince: "int8",
    burstSince: "int8",
  },
  `,
  kept as (
    insert into ${t.emailHits} (${deliveryKey()}, ordinal, project_id, kind, at, url, bot)
    select ${deliveryKey()}, hits, project_id, kind, at, url, bot from input
    where hits <= ${MAX_HITS}
  ),
  judged_again as (
    update ${t.emailHits} t set bot = case when t.at >= i.honeypot_since then 'trap' else 'burst' end
    from input i
    where ${sameDelivery("t", "i")} and t.project_id = i.project_id and t.bot is null
      and (t.at >= i.honeypot_since or (t.kind = 'click' and t.at >= i.burst_since and t.url <> i.url))
  )
  insert into ${t.emailHitHeads} as h
    (${deliveryKey()}, project_id, hits, honeypot_at, link, link_at, other_link_at)
  select ${deliveryKey()}, project_id, hits, honeypot_at, link, link_at, other_link_at from input
  order by ${deliveryKey()}
  on conflict (${deliveryKey()}) do update
    set hits = excluded.hits, honeypot_at = excluded.honeypot_at, link = excluded.link, link_at = excluded.link_at,
      other_link_at = excluded.other_link_at`,
);
