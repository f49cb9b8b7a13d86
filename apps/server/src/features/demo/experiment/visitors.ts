import { apiId, parseDeliveryId, userRef } from "../../../domain/ids.ts";
import { asHouse } from "../../../platform/http/contract/endpoint.ts";
import type { App } from "../../../platform/runtime.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { normalizePath } from "../../campaigns/authoring/audience/pages.pure.ts";
import { listVariants } from "../../campaigns/authoring/public.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { pointOf } from "../../deliveries/public.ts";
import { recordEvent } from "../../ingest/tracking/public.ts";
import { EventProps } from "../../users/events/schema.ts";
import { personOfUser } from "../../users/identities/public.ts";
import { mergeUser } from "../../users/profiles/public.ts";
import { traitChangesOf } from "../../users/profiles/rules.ts";
import { acknowledge, serveMessages } from "../../web/public.ts";
import { PURCHASE } from "../names.pure.ts";
import type { DemoShop } from "../store.ts";
import type { Experiment } from "./experiment-store.ts";
import { SIMULATED } from "./open-experiment.ts";
import { type Draw, drawDay, orders, POINTS } from "./story.pure.ts";

const PAGE = normalizePath("/demo/morning-blend");
const TRAITS = traitChangesOf(JSON.stringify(SIMULATED), SIMULATED);
const BAG = EventProps.parse({ items: 1, cents: 1450 });
/** How long after a message is asked for it is on the page, and is clicked. */
const SHOWN_AFTER_MS = SECOND_MS;
const CLICKED_AFTER_MS = 20 * SECOND_MS;

type Visitor = Draw & { userId: string };

/**
 * Names the visitors of a day. A campaign gives a user the text at a point that is computed from the ids of both, and its own id is new in
 * every shop. So names are tried until there is one at each point that was drawn: then the same days have the same story everywhere.
 */
function visitorsOf({ projectId, campaignId }: DemoShop & Experiment, day: number): Visitor[] {
  const waiting = Map.groupBy(drawDay(day), ({ point }) => point);
  const round = campaignId.slice(-6);
  const visitors: Visitor[] = [];
  for (let tried = 0; waiting.size > 0; tried++) {
    const userId = `simulated-visitor-${round}-${day + 1}-${tried}`;
    const point = Math.floor(pointOf(campaignId, userRef(projectId, userId).userKey) * POINTS);
    const [draw, ...others] = waiting.get(point) ?? [];
    if (draw === undefined) continue;
    visitors.push({ ...draw, userId });
    if (others.length > 0) waiting.set(point, others);
    else waiting.delete(point);
  }
  return visitors;
}

/**
 * Has the visitors of a day (0 is the first) come to the shop in the past, see what it has for them, and order. Each takes the way of any
 * visitor (identify, messages, feedback, track) but for HTTP; only the instant is another. Playing a day again changes nothing.
 */
export async function playDay(app: App, shop: DemoShop & Experiment, day: number): Promise<void> {
  const { projectId, campaignId, began } = shop;
  const variants = await listVariants(app.database.kysely, projectId, campaignId);
  const control = variants.find(({ isControl }) => isControl);
  // Visitors are active in the period in which the server hears of them; what they ordered before it is history.
  const now = app.clock();
  const period = (await activePeriods(app, projectId))(now);

  async function visit(visitor: Visitor): Promise<void> {
    const { userId } = visitor;
    const at = began + day * DAY_MS + visitor.comesAfterMs;
    const ctx = { app, db: app.database.kysely, now: at, projectId } as const;
    const person = personOfUser(projectId, userId);
    const identity = { person, changes: TRAITS, firstSeenAt: null, period };
    await mergeUser({ ...ctx, ...asHouse("secret") }, identity);
    const user = { ...userRef(projectId, userId), projectId };
    const served = await serveMessages(app, { user, externalId: userId, path: PAGE, now: at });
    const message = served.find((each) => each.campaignId === apiId("cmp", campaignId));
    const delivery = message === undefined ? null : parseDeliveryId(message.deliveryId);
    if (message === undefined || delivery === null) return;
    const report = (type: "shown" | "clicked", afterMs: number) =>
      acknowledge(app, {
        ...delivery,
        projectId,
        type,
        feedbackId: `${type}-${userId}`,
        period,
        receiptId: newUuid(at + afterMs),
        at: at + afterMs,
      });
    await report("shown", SHOWN_AFTER_MS);
    if (!orders(visitor, message.variantId === apiId("var", control?.id ?? ""))) return;
    await report("clicked", CLICKED_AFTER_MS);
    await recordEvent(app, {
      ...user,
      externalId: userId,
      name: PURCHASE,
      props: BAG.json,
      shape: BAG.shape,
      ts: at + SHOWN_AFTER_MS + visitor.ordersAfterMs,
      eventId: `order-${userId}`,
      receivedAt: now,
    });
  }

  await Promise.all(visitorsOf(shop, day).map(visit));
}
