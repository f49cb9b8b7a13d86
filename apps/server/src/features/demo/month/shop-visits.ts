import { parseDeliveryId } from "../../../domain/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { normalizePath } from "../../campaigns/authoring/audience/pages.pure.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { recordEvent } from "../../ingest/tracking/public.ts";
import { EventProps } from "../../users/events/schema.ts";
import { acknowledge, serveMessages } from "../../web/public.ts";
import { PURCHASE } from "../names.pure.ts";
import { randomNumbers } from "../random.pure.ts";
import type { KnownCustomer } from "./customers.ts";
import type { House } from "./house.ts";
import { type CampaignName, REACTIONS, SUBSCRIBED } from "./shop.pure.ts";

const PAGES = ["/coffee", "/coffee/morning-blend", "/coffee/night-shift", "/coffee/slow-sunday", "/"];
const SHOWN_AFTER_MS = SECOND_MS;
const CLICKED_AFTER_MS = 18 * SECOND_MS;
const DISMISSED_AFTER_MS = 7 * SECOND_MS;
/** How soon a customer acts whom a message has moved. */
const ACTS_WITHIN_MS = 30 * HOUR_MS;
const BAG_CENTS = 1_450;

/** Shares of visits in which something happens anyway. */
const ANYWAY = { looks: 0.75, fills: 0.16, orders: 0.025, subscribes: 0.008, reviews: 0.01 };

/** The control of a campaign, and its other variant, by id; and which campaign of the play has which id. */
export type ShopStage = ReadonlyMap<string, { name: CampaignName; variantIds: readonly string[] }>;

/** Records something that a customer did, at an instant of its own; what would be in the future did not happen. */
export async function did(
  { app, projectId, now }: House,
  { userId, userKey, lane }: KnownCustomer,
  { name, at, props = {} }: { name: string; at: number; props?: Record<string, string | number> },
): Promise<void> {
  if (at >= now - MINUTE_MS) return;
  const { json, shape } = EventProps.parse(props);
  const eventId = `${name}-${at}`;
  const event = { lane, userKey, projectId, externalId: userId, name, props: json, shape, ts: at, eventId };
  // The shop's server sent it at once.
  await recordEvent(app, { ...event, receivedAt: at });
}

const order = (share: number): Record<string, number> => {
  const items = 1 + Math.floor(share * 3);
  return { items, cents: items * BAG_CENTS };
};

/** A customer comes to a page of the shop, looks around, and takes the messages that are there in their own way. */
async function visit(house: House, stage: ShopStage, customer: KnownCustomer, at: number): Promise<void> {
  const { app, projectId } = house;
  const { userId, userKey, lane } = customer;
  const next = randomNumbers(customer.seed ^ Math.imul(customer.visitsAt.indexOf(at) + 1, 0x9e3779b1));
  const draw = {
    page: next(),
    looks: next(),
    fills: next(),
    orders: next(),
    subscribes: next(),
    reviews: next(),
  };
  const path = PAGES[Math.floor(draw.page * PAGES.length)] ?? "/";
  const product = path.split("/")[2];
  await did(house, customer, { name: "shop_visited", at, props: { path } });
  // The page asks for messages as it opens: nothing that the customer does on it has happened by then.
  const user = { lane, userKey, projectId };
  const served =
    path === "/"
      ? []
      : await serveMessages(app, { user, externalId: userId, path: normalizePath(path), now: at });
  for (const message of served) {
    const part = stage.get(message.campaignId);
    if (part !== undefined) await takeMessage(house, customer, message, { ...part, at });
  }
  if (draw.looks < ANYWAY.looks && product !== undefined)
    await did(house, customer, { name: "product_viewed", at: at + 20 * SECOND_MS, props: { product } });
  if (draw.fills < ANYWAY.fills)
    await did(house, customer, {
      name: "added_to_cart",
      at: at + 2 * MINUTE_MS,
      props: { product: product ?? "sampler" },
    });
  if (draw.orders < ANYWAY.orders)
    await did(house, customer, { name: PURCHASE, at: at + 5 * MINUTE_MS, props: order(next()) });
  if (draw.subscribes < ANYWAY.subscribes)
    await did(house, customer, { name: SUBSCRIBED, at: at + 6 * MINUTE_MS, props: { plan: "monthly" } });
  if (draw.reviews < ANYWAY.reviews)
    await did(house, customer, {
      name: "review_written",
      at: at + 9 * MINUTE_MS,
      props: { stars: 3 + Math.floor(next() * 3) },
    });
}

type Message = Awaited<ReturnType<typeof serveMessages>>[number];

async function takeMessage(
  house: House,
  customer: KnownCustomer,
  message: Message,
  { name, variantIds, at }: { name: CampaignName; variantIds: readonly string[]; at: number },
): Promise<void> {
  const { app, projectId } = house;
  const delivery = parseDeliveryId(message.deliveryId);
  const reaction = REACTIONS[name]?.[Math.max(0, variantIds.indexOf(message.variantId))];
  if (delivery === null || reaction === undefined) return;
  // A customer who sees a message again takes it as the first time: the draw is of customer and campaign.
  const next = randomNumbers(customer.seed ^ Math.imul(name.length * 131 + name.charCodeAt(0), 0x85ebca6b));
  const draw = { shown: next(), taken: next(), acts: next(), after: next(), size: next() };
  if (draw.shown >= reaction.shown) return;
  const period = (await activePeriods(app, projectId))(at);
  const report = (type: "shown" | "clicked" | "dismissed", afterMs: number) => {
    const feedback = { ...delivery, projectId, type, period, at: at + afterMs };
    return acknowledge(app, {
      ...feedback,
      feedbackId: `${type}-${name}-${at}`,
      receiptId: newUuid(at + afterMs),
    });
  };
  await report("shown", SHOWN_AFTER_MS);
  if (draw.taken < reaction.clicked) await report("clicked", CLICKED_AFTER_MS);
  else if (draw.taken < reaction.clicked + reaction.dismissed) await report("dismissed", DISMISSED_AFTER_MS);
  if (draw.acts >= reaction.acts) return;
  const isFirst = !customer.visitsAt.some((earlier) => earlier < at && earlier > at - DAY_MS);
  if (!isFirst) return;
  const after = at + MINUTE_MS + Math.floor(draw.after * draw.after * ACTS_WITHIN_MS);
  const bought =
    name === "subscribe"
      ? { name: SUBSCRIBED, props: { plan: "monthly" } }
      : { name: PURCHASE, props: order(draw.size) };
  await did(house, customer, { ...bought, at: after });
}

/** The visits of all customers from one instant to another (epoch ms, `until` not included), those of one customer in their order. */
export async function playVisits(
  house: House,
  stage: ShopStage,
  customers: readonly KnownCustomer[],
  { from, until }: { from: number; until: number },
): Promise<void> {
  await Promise.all(
    customers.map(async (customer) => {
      for (const at of customer.visitsAt)
        if (at >= from && at < until) await house.at(at, () => visit(house, stage, customer, at));
    }),
  );
}

export const variantIdsOf = (variants: readonly { id: string; isControl: boolean }[]): string[] =>
  variants.toSorted((a, b) => Number(b.isControl) - Number(a.isControl)).map(({ id }) => id);
