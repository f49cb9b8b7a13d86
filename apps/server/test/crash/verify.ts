import type pg from "pg";
import { apiId, deliveryId, FIRST_OCCASION, userRef } from "../../src/domain/ids.ts";
import type { CampaignRecord, Register, World } from "./ledger.ts";
import { GOAL_EVENT } from "./writes.ts";

type EventRow = { userKey: string; name: string; marker: string; eventId: string; ts: number };
type UserRow = { userKey: string; externalId: string; traits: Record<string, unknown> };
type ReceiptRow = {
  userKey: string;
  feedbackId: string;
  campaignId: string;
  type: string;
  receiptId: string;
  at: number;
};
type DeliveryRow = {
  userKey: string;
  campaignId: string;
  variantId: string;
  hasGoal: boolean;
  shown: number | null;
  clicked: number | null;
  dismissed: number | null;
  exposed: number | null;
  converted: number | null;
};
type CampaignRow = { id: string; name: string; status: string; markers: string[] };

/** The tables as they are. Counted here, row by row: no key or index of theirs is trusted to keep doubles out. */
export type Stored = {
  events: EventRow[];
  users: UserRow[];
  receipts: ReceiptRow[];
  deliveries: DeliveryRow[];
  campaigns: CampaignRow[];
  keys: string[];
};

/** Reads what is stored, past the server. */
export async function readStored(client: pg.Client, projectId: string): Promise<Stored> {
  const all = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, [projectId])).rows;
  return {
    events: await all(`
      select user_key as "userKey", name, coalesce(props->>'marker', event_id) as marker, event_id as "eventId", ts
      from events where project_id = $1`),
    users: await all(`
      select user_key as "userKey", external_id as "externalId", traits from users where project_id = $1`),
    receipts: await all(`
      select r.user_key as "userKey", feedback_id as "feedbackId", campaign_id as "campaignId", r.type,
        receipt_id as "receiptId", acknowledged_at as at
      from feedback_receipts r join campaigns c on c.id = r.campaign_id and c.project_id = $1`),
    deliveries: await all(`
      select user_key as "userKey", campaign_id as "campaignId", variant_id as "variantId",
        (select c.goal_id is not null from campaigns c where c.id = campaign_id) as "hasGoal",
        shown_at as shown, clicked_at as clicked, dismissed_at as dismissed,
        exposed_at as exposed, converted_at as converted
      from deliveries where project_id = $1`),
    campaigns: await all(`
      select c.id, c.name, c.status,
        array(select v.content->>'title' from variants v where v.campaign_id = c.id) as markers
      from campaigns c where c.project_id = $1`),
    keys: (await all<{ key: string }>("select key from idempotency_keys where project_id = $1")).map(
      ({ key }) => key,
    ),
  };
}

const keyOf = ({ projectId }: World, userId: string): string => userRef(projectId, userId).userKey;

/** Rows by a key that each must have to itself. */
function unique<Row>(world: World, what: string, rows: readonly Row[], key: (row: Row) => string) {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    if (byKey.has(key(row))) world.faults.add("doubled", `${what} ${key(row)}`);
    byKey.set(key(row), row);
  }
  return byKey;
}

function checkEvents(world: World, stored: Stored): void {
  const { ledger, faults } = world;
  const rows = unique(world, "event", stored.events, (row) => row.marker);
  for (const [marker, row] of rows) {
    const sent = ledger.events.get(marker);
    const same =
      sent !== undefined &&
      row.userKey === keyOf(world, sent.userId) &&
      row.name === sent.event &&
      (row.eventId === marker) === sent.hasId;
    if (!same) faults.add("wrong", `event ${marker} is not one that was sent`);
  }
  for (const { marker, acknowledged } of ledger.events.values()) {
    if (acknowledged && !rows.has(marker)) faults.add("lost", `event ${marker}`);
  }
}

const allows = ({ known, pending }: Register, value: string | null): boolean =>
  value === known || (pending !== null && value === pending);

function checkUsers(world: World, stored: Stored): void {
  const { ledger, faults } = world;
  const rows = unique(world, "user", stored.users, (row) => row.externalId);
  for (const { externalId, userKey, traits } of rows.values()) {
    const known = ledger.traits.get(externalId);
    const isOurs =
      ledger.users.has(externalId) &&
      userKey === keyOf(world, externalId) &&
      Object.keys(traits).every((name) => known?.has(name));
    if (!isOurs) faults.add("wrong", `user ${externalId} has what nobody sent`);
  }
  for (const [userId, traits] of ledger.traits) {
    const row = rows.get(userId);
    for (const [name, register] of traits) {
      const value = row?.traits[name];
      const text = typeof value === "string" ? value : null;
      if (!allows(register, text))
        faults.add("lost", `trait ${name} of ${userId}: ${text} instead of ${register.known}`);
    }
  }
}

/** Here, a user gets a campaign once: a second row would be a double, whatever its occasion. */
const deliveryIdOf = (row: { userKey: string; campaignId: string }): string =>
  deliveryId({ ...row, occasion: FIRST_OCCASION });

function checkDeliveries(world: World, deliveries: ReadonlyMap<string, DeliveryRow>): void {
  const { ledger, faults } = world;
  const readers = new Set([...ledger.readers].map((userId) => keyOf(world, userId)));
  for (const [id, row] of deliveries) {
    if (!readers.has(row.userKey)) faults.add("wrong", `delivery ${id} is of a user who never asked`);
  }
  for (const { deliveryId: id, userId, campaignId, variantId } of ledger.handedOut.values()) {
    const row = deliveries.get(id);
    if (row === undefined) faults.add("lost", `delivery ${id} of ${userId}`);
    else if (
      row.userKey !== keyOf(world, userId) ||
      apiId("cmp", row.campaignId) !== campaignId ||
      apiId("var", row.variantId) !== variantId
    )
      faults.add("wrong", `delivery ${id} of ${userId} is stored as another one`);
  }
}

function checkFeedback(world: World, stored: Stored, deliveries: ReadonlyMap<string, DeliveryRow>): void {
  const { ledger, faults } = world;
  const receipts = unique(world, "feedback", stored.receipts, (row) => row.feedbackId);
  const instants = new Set(stored.receipts.map((row) => `${deliveryIdOf(row)} ${row.type} ${row.at}`));
  for (const [feedbackId, row] of receipts) {
    const sent = ledger.feedback.get(feedbackId);
    if (sent?.deliveryId !== deliveryIdOf(row) || sent.type !== row.type)
      faults.add("wrong", `feedback ${feedbackId} is not one that was sent`);
  }
  for (const { feedbackId, deliveryId: id, type, receipt } of ledger.feedback.values()) {
    if (receipt === null) continue;
    const row = receipts.get(feedbackId);
    if (row === undefined) faults.add("lost", `feedback ${feedbackId}`);
    else if (apiId("rcp", row.receiptId) !== receipt.receiptId || row.at !== receipt.acknowledgedAt)
      faults.add("wrong", `feedback ${feedbackId} has another receipt than was answered`);
    if (deliveries.get(id)?.[type] == null) faults.add("lost", `${type} on delivery ${id}`);
  }
  // One receipt, the first, gave its instant; where only one was ever sent, it is that one.
  for (const [id, row] of deliveries) {
    for (const type of ["shown", "clicked", "dismissed"] as const) {
      if (row[type] !== null && !instants.has(`${id} ${type} ${row[type]}`))
        faults.add("wrong", `${type} on delivery ${id} has no receipt of that instant`);
    }
    if (row.exposed !== row.shown) faults.add("wrong", `delivery ${id} was exposed when it was not shown`);
  }
}

/** A delivery is converted exactly when its user did the goal's event at or after its exposure. */
function checkConversions(world: World, stored: Stored, deliveries: ReadonlyMap<string, DeliveryRow>): void {
  const { ledger, faults } = world;
  const bought = Map.groupBy(
    stored.events.filter((row) => row.name === GOAL_EVENT),
    (row) => row.userKey,
  );
  for (const id of ledger.converted) {
    if (deliveries.get(id)?.converted == null) faults.add("lost", `conversion of delivery ${id}`);
  }
  for (const [id, { userKey, hasGoal, exposed, converted }] of deliveries) {
    const after =
      hasGoal && exposed !== null ? (bought.get(userKey) ?? []).filter(({ ts }) => ts >= exposed) : [];
    if (after.length > 0 && converted === null) faults.add("wrong", `delivery ${id} should be converted`);
    if (converted !== null && !after.some(({ ts }) => ts === converted))
      faults.add("wrong", `delivery ${id} is converted by no event`);
  }
}

function checkCampaign(world: World, sent: CampaignRecord, row: CampaignRow | undefined): void {
  const { faults } = world;
  if (row === undefined) {
    if (sent.id !== null) faults.add("lost", `campaign ${sent.marker}`);
    return;
  }
  if (sent.id !== null && sent.id !== apiId("cmp", row.id))
    faults.add("wrong", `campaign ${sent.marker} has another id than was answered`);
  if (!allows(sent.name, row.name))
    faults.add("lost", `name ${sent.name.known} of campaign ${sent.marker}: it is ${row.name}`);
  if (!allows(sent.status, row.status))
    faults.add("lost", `status ${sent.status.known} of campaign ${sent.marker}: it is ${row.status}`);
}

function checkCampaigns(world: World, stored: Stored): void {
  const { ledger, faults } = world;
  for (const { id, markers } of stored.campaigns) {
    const [marker] = markers;
    if (markers.length !== 2 || marker !== markers[1] || !ledger.campaigns.has(marker ?? ""))
      faults.add("wrong", `campaign ${id} is half made, or nobody asked for it`);
  }
  const rows = unique(world, "campaign", stored.campaigns, (row) => row.markers[0] ?? row.id);
  for (const sent of ledger.campaigns.values()) checkCampaign(world, sent, rows.get(sent.marker));
  const keys = new Set(stored.keys);
  for (const { key } of ledger.managed) {
    if (!keys.has(key)) faults.add("lost", `Idempotency-Key ${key}`);
  }
}

/** Compares everything that is stored with everything that was requested and acknowledged. */
export function checkStored(world: World, stored: Stored): void {
  const deliveries = unique(world, "delivery", stored.deliveries, deliveryIdOf);
  checkEvents(world, stored);
  checkUsers(world, stored);
  checkDeliveries(world, deliveries);
  checkFeedback(world, stored, deliveries);
  checkConversions(world, stored, deliveries);
  checkCampaigns(world, stored);
}

/** Of a round: events and feedback that had no answer when the server died, and how many were stored all the same. */
export function countUnanswered(world: World, stored: Stored): { sent: number; stored: number } {
  const events = new Set(stored.events.map((row) => row.marker));
  const receipts = new Set(stored.receipts.map((row) => row.feedbackId));
  const isOfRound = ({ round }: { round: number }): boolean => round === world.round;
  const open = [
    ...[...world.ledger.events.values()]
      .filter((write) => isOfRound(write) && !write.acknowledged)
      .map(({ marker }) => events.has(marker)),
    ...[...world.ledger.feedback.values()]
      .filter((write) => isOfRound(write) && write.receipt === null)
      .map(({ feedbackId }) => receipts.has(feedbackId)),
  ];
  return { sent: open.length, stored: open.filter(Boolean).length };
}
