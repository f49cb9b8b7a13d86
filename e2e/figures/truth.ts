import type { Answer, PeopleClient } from "@tidings/client";
import { DAY_MS } from "../../apps/server/src/platform/time/clock.ts";

type Campaign = Answer<"getCampaign">["campaign"];
type Delivery = Answer<"listCampaignDeliveries">["deliveries"][number];
type Goal = Answer<"getGoal">["goal"];
type User = Answer<"listUsers">["users"][number];
type Event = Answer<"listEvents">["events"][number];

const MOST = 100;
const PAGE = { perPage: MOST };

/** Reads a list to its last page, page after page: the server reads one expensive list of a caller at a time. */
export async function whole<Row>(
  read: (page: number) => Promise<{ rows: readonly Row[]; pageCount: number }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let page = 1; ; page++) {
    const { rows, pageCount } = await read(page);
    all.push(...rows);
    if (page >= pageCount) return all;
  }
}

/** What happened in a project, as the API lists it row by row, with the clock at which it stands still. Nothing in it is a sum of the server's. */
export type Truth = {
  now: number;
  client: PeopleClient;
  campaigns: readonly Campaign[];
  goals: readonly Goal[];
  users: readonly User[];
  events: readonly Event[];
  /** By the id of their campaign. */
  deliveries: ReadonlyMap<string, readonly Delivery[]>;
};

/** Reads all of it. The server must not change meanwhile. */
export async function truthOf(client: PeopleClient, now: number): Promise<Truth> {
  const listed = await whole(async (page) => {
    const { campaigns, pageCount } = await client.listCampaigns({ query: { ...PAGE, page } });
    return { rows: campaigns, pageCount };
  });
  const campaigns: Campaign[] = [];
  const deliveries = new Map<string, Delivery[]>();
  for (const { id } of listed) {
    campaigns.push((await client.getCampaign({ path: { id } })).campaign);
    const rows = await whole(async (page) => {
      const found = await client.listCampaignDeliveries({ path: { id }, query: { ...PAGE, page } });
      return { rows: found.deliveries, pageCount: found.pageCount };
    });
    deliveries.set(id, rows);
  }
  const users = await whole(async (page) => {
    const found = await client.listUsers({ query: { ...PAGE, page } });
    return { rows: found.users, pageCount: found.pageCount };
  });
  const events = await whole(async (page) => {
    const found = await client.listEvents({ query: { ...PAGE, page } });
    return { rows: found.events, pageCount: found.pageCount };
  });
  const { goals } = await client.listGoals();
  return { now, client, campaigns, goals, users, events, deliveries };
}

export const count = <Row>(rows: readonly Row[], is: (row: Row) => boolean): number => rows.filter(is).length;

const isAt = (instant: number | null): boolean => instant !== null;

/** When the user met a message: it was shown on a page, or delivered. */
const exposedAt = ({ channel }: Campaign, { shownAt, deliveredAt }: Delivery): number | null =>
  channel === "web_inapp" ? shownAt : deliveredAt;

export const goalOf = ({ goals }: Truth, { goalId }: Campaign): Goal | null =>
  goals.find(({ id }) => id === goalId) ?? null;

/** The instants at which a user did an event. */
function instantsOf({ events }: Truth, event: string): ReadonlyMap<string, readonly number[]> {
  const instants = new Map<string, number[]>();
  for (const { name, endUserId, ts } of events)
    if (name === event) instants.set(endUserId, [...(instants.get(endUserId) ?? []), ts]);
  return instants;
}

/** When a delivery converted for the goal: its user first did the goal's event within so many days after they met the message. */
function conversionsOf(truth: Truth, campaign: Campaign): ReadonlyMap<string, number> {
  const goal = goalOf(truth, campaign);
  if (goal === null || goal.targetEvent === null) return new Map();
  const instants = instantsOf(truth, goal.targetEvent);
  const windowMs = goal.attributionDays * DAY_MS;
  const converted = new Map<string, number>();
  for (const delivery of deliveriesOf(truth, campaign)) {
    const at = exposedAt(campaign, delivery);
    if (at === null) continue;
    const within = (instants.get(delivery.endUserId) ?? []).filter(
      (instant) => instant >= at && instant <= Math.min(at + windowMs, truth.now),
    );
    if (within.length > 0) converted.set(delivery.id, Math.min(...within));
  }
  return converted;
}

export const deliveriesOf = ({ deliveries }: Truth, { id }: Campaign): readonly Delivery[] =>
  deliveries.get(id) ?? [];

export type Counts = Readonly<
  Record<
    | ("sent" | "delivered" | "bounced" | "shown" | "opened" | "clicked" | "dismissed")
    | ("complained" | "unsubscribed" | "frequencyCapped" | "exposed" | "converted"),
    number
  >
>;

/**
 * What people read of a campaign, or of one of its variants: *sent* was handed over and answered, whatever the answer; *delivered* did
 * not come back; *converted* did the goal's event within its window.
 */
export function countsOf(truth: Truth, campaign: Campaign, variantId: string | null = null): Counts {
  const all = deliveriesOf(truth, campaign).filter(
    (each) => variantId === null || each.variantId === variantId,
  );
  const conversions = conversionsOf(truth, campaign);
  return {
    sent: count(all, ({ sentAt, bouncedAt }) => isAt(sentAt) || isAt(bouncedAt)),
    delivered: count(all, ({ deliveredAt, bouncedAt }) => isAt(deliveredAt) && !isAt(bouncedAt)),
    bounced: count(all, ({ bouncedAt }) => isAt(bouncedAt)),
    shown: count(all, ({ shownAt }) => isAt(shownAt)),
    opened: count(all, ({ openedAt }) => isAt(openedAt)),
    clicked: count(all, ({ clickedAt }) => isAt(clickedAt)),
    dismissed: count(all, ({ dismissedAt }) => isAt(dismissedAt)),
    complained: count(all, ({ complainedAt }) => isAt(complainedAt)),
    unsubscribed: count(all, ({ unsubscribedAt }) => isAt(unsubscribedAt)),
    frequencyCapped: count(all, ({ state }) => state === "frequency_capped"),
    exposed: count(all, (each) => isAt(exposedAt(campaign, each))),
    converted: count(all, ({ id }) => conversions.has(id)),
  };
}

/** Users and those of them who converted, as a comparison has them: whose window is over, and who still have time. */
export type Side = { matured: number; converted: number; pending: number };

function sideOf(
  truth: Truth,
  { attributionDays, targetEvent }: Goal,
  starts: readonly { endUserId: string; at: number }[],
): Side {
  const windowMs = attributionDays * DAY_MS;
  const instants = instantsOf(truth, targetEvent ?? "");
  const matured = starts.filter(({ at }) => at + windowMs <= truth.now);
  const didIt = ({ endUserId, at }: { endUserId: string; at: number }): boolean =>
    (instants.get(endUserId) ?? []).some((instant) => instant >= at && instant <= at + windowMs);
  return {
    matured: matured.length,
    pending: starts.length - matured.length,
    converted: count(matured, didIt),
  };
}

/** The users who met a variant. */
export function variantSide(truth: Truth, campaign: Campaign, variantId: string): Side {
  const goal = goalOf(truth, campaign);
  if (goal === null) throw new Error(`${campaign.name} has no goal.`);
  const starts = deliveriesOf(truth, campaign).flatMap((delivery) => {
    const at = delivery.variantId === variantId ? exposedAt(campaign, delivery) : null;
    return at === null ? [] : [{ endUserId: delivery.endUserId, at }];
  });
  return sideOf(truth, goal, starts);
}

const campaignsOf = ({ campaigns }: Truth, { id }: Goal): Campaign[] =>
  campaigns.filter(({ goalId }) => goalId === id);

/** The users for whom a message of a goal was made, each from the first one; with a campaign, those whose first one was of it. */
export function servedSide(truth: Truth, goal: Goal, campaign: Campaign | null = null): Side {
  const firsts = new Map<string, { endUserId: string; at: number; campaignId: string }>();
  for (const each of campaignsOf(truth, goal))
    for (const { endUserId, queuedAt: at } of deliveriesOf(truth, each)) {
      const known = firsts.get(endUserId);
      const isEarlier =
        known === undefined || at < known.at || (at === known.at && each.id < known.campaignId);
      if (isEarlier) firsts.set(endUserId, { endUserId, at, campaignId: each.id });
    }
  const chosen = [...firsts.values()].filter(
    ({ campaignId }) => campaign === null || campaignId === campaign.id,
  );
  return sideOf(truth, goal, chosen);
}

/** What happened on a day: how many events, messages that were met, and users who converted. */
export type Day = { events: number; met: number; converted: number };

/** What happened on a UTC day that begins at an instant. */
export function dayOf(truth: Truth, startAt: number): Day {
  const isIn = (instant: number | null): boolean =>
    instant !== null && instant >= startAt && instant < startAt + DAY_MS;
  const days = truth.campaigns.map((campaign) => ({
    met: count(deliveriesOf(truth, campaign), (each) => isIn(exposedAt(campaign, each))),
    converted: count([...conversionsOf(truth, campaign).values()], isIn),
  }));
  return {
    events: count(truth.events, ({ ts }) => isIn(ts)),
    met: days.reduce((sum, { met }) => sum + met, 0),
    converted: days.reduce((sum, { converted }) => sum + converted, 0),
  };
}

/**
 * Users who were active since an instant: they did something, were shown a message, were sent one by mail, or were named. In a month that
 * is played, some of it is recorded hours before or after it happens, so that the server's count may lie a few users beside this one.
 */
function activeSince(truth: Truth, since: number): number {
  const isSince = (instant: number | null): boolean => instant !== null && instant >= since;
  const active = new Set<string>();
  for (const { endUserId, ts } of truth.events) if (isSince(ts)) active.add(endUserId);
  for (const { id, firstSeenAt, lastSeenAt } of truth.users)
    if (isSince(firstSeenAt) || isSince(lastSeenAt)) active.add(id);
  for (const campaign of truth.campaigns)
    for (const { endUserId, shownAt, sentAt } of deliveriesOf(truth, campaign))
      if (isSince(shownAt) || (campaign.channel === "email" && isSince(sentAt))) active.add(endUserId);
  return active.size;
}

const PLAYED_APART_MS = 2 * DAY_MS;

/**
 * The active users of a period that began at an instant, as the server counts them.
 * @throws where those that are sure are more, or those that are possible fewer
 */
export async function activeUsers(truth: Truth, since: number): Promise<number> {
  const { activeUsers: counted } = await truth.client.getUsage();
  const sure = activeSince(truth, since + PLAYED_APART_MS);
  const possible = activeSince(truth, since - PLAYED_APART_MS);
  if (counted < sure || counted > possible)
    throw new Error(`${counted} users cannot have been active: ${sure} were, and at most ${possible}.`);
  return counted;
}
