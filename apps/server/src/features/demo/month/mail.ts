import { FIRST_OCCASION } from "../../../domain/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { decideSuppression } from "../../email/addresses/public.ts";
import { hitBatch, recordReports } from "../../email/feedback/public.ts";
import { planMailNow, sendMailNow } from "../../email/sending/public.ts";
import type { Transport } from "../../email/transport/reply.pure.ts";
import { PURCHASE } from "../names.pure.ts";
import { randomNumbers } from "../random.pure.ts";
import { campaignUuid, type KnownCustomer } from "./customers.ts";
import type { House } from "./house.ts";
import { addressOf } from "./people.pure.ts";
import { did } from "./shop-visits.ts";

/** What becomes of mail, beside what the mail catcher says: by address. */
export type MailFates = { bounces: Set<string>; unansweredTo: Set<string>; accepted: Set<string> };

/** Messages in flight at once: the catcher writes each in a statement of its own. */
const CONNECTIONS = 24;

/** A mail server that keeps mail on this computer, knows some addresses not, and does not answer for others. */
export const mailServer =
  ({ bounces, unansweredTo, accepted }: MailFates) =>
  (caught: Transport): Transport => ({
    connections: CONNECTIONS,
    async send(envelope, raw) {
      if (bounces.has(envelope.to))
        return {
          kind: "rejected",
          stage: "recipient",
          code: 550,
          response: "5.1.1 There is no such mailbox",
        };
      if (unansweredTo.has(envelope.to))
        return {
          kind: "unknown",
          code: null,
          response: "the connection was lost before the mail server answered",
        };
      accepted.add(envelope.to);
      return caught.send(envelope, raw);
    },
    close() {},
  });

/** One in so many readers has an address that does not exist any more. */
const BOUNCING = 70;
export const bouncing = (customers: readonly KnownCustomer[]): Set<string> =>
  new Set(customers.filter(({ number }) => number % BOUNCING === 7).map(addressOf));

/** How readers of a mail take it, as shares. */
type Reading = { opens: number; clicks: number; orders: number };
export const READING = {
  newsletter: [
    { opens: 0.42, clicks: 0.09, orders: 0.03 },
    { opens: 0.5, clicks: 0.13, orders: 0.045 },
  ],
  missYou: [{ opens: 0.3, clicks: 0.06, orders: 0.03 }],
} as const satisfies Record<string, readonly Reading[]>;

/** One in so many readers of the newsletter unsubscribes: 1.6 %, near the 2 % that its goal allows. */
const UNSUBSCRIBING = 62;
/** One in so many reports it as spam instead: near the 0.3 % that its goal allows. */
const COMPLAINING = 400;

type Farewell = "unsubscribed" | "complained";

/** How a reader of the newsletter ends it, by the place among all of them; null for those who stay. */
function farewellOf(place: number): Farewell | null {
  if (place % COMPLAINING === 90) return "complained";
  return place % UNSUBSCRIBING === 40 ? "unsubscribed" : null;
}

const REPORTER = { unsubscribed: "the recipient", complained: "the mailbox provider" } as const;

export type Mailing = {
  /** Id of the campaign, and its name in the play. */
  id: string;
  name: keyof typeof READING;
  /** Which place in `sides` its variants have; null where there is one. */
  pair: number | null;
  url: string;
  /** How many of these messages from the server's point of view end without an answer. */
  unanswered: number;
  /** Readers that it had before this round, of whom some unsubscribe or complain. */
  readers: { count: number };
};

/** Plans and sends a campaign's mail to whom it has not reached, at the instant of the house, and has the readers read it. */
export async function sendMail(
  house: House,
  customers: ReadonlyMap<string, KnownCustomer>,
  fates: MailFates,
  mailing: Mailing,
): Promise<void> {
  const { app, projectId } = house;
  const campaign = campaignUuid(mailing.id);
  const sentAt = app.clock();
  fates.accepted.clear();
  await planMailNow(app, { projectId, campaignId: campaign });
  if (mailing.unanswered > 0) await leaveUnanswered(house, fates, mailing);
  await sendMailNow(app, projectId);
  fates.unansweredTo.clear();
  const readers = [...fates.accepted]
    .flatMap((address) => customers.get(address) ?? [])
    .toSorted((a, b) => a.number - b.number);
  const leaving = readers.flatMap((reader) => {
    const event = mailing.name === "newsletter" ? farewellOf(++mailing.readers.count) : null;
    return event === null ? [] : [{ ...reader, event }];
  });
  await Promise.all(readers.map((reader) => read(house, mailing, campaign, reader, sentAt)));
  for (const { lane, userKey, seed, event } of leaving) {
    const at = sentAt + HOUR_MS + (seed % 20) * MINUTE_MS;
    const report = { lane, userKey, campaignId: campaign, occasion: FIRST_OCCASION, event, stops: event, at };
    const reporter = { projectId, name: REPORTER[event], now: at, isRecipient: event === "unsubscribed" };
    if (at < house.now) await house.at(at, () => recordReports(app, [report], reporter));
  }
}

/** Chooses whose mail ends without an answer: the first of those for whom it is planned. */
async function leaveUnanswered(
  { api }: House,
  { unansweredTo }: MailFates,
  { id, unanswered }: Mailing,
): Promise<void> {
  const planned: string[] = [];
  for (let page = 1; ; page++) {
    const { deliveries } = await api.listCampaignDeliveries({ path: { id }, query: { page, perPage: 100 } });
    planned.push(...deliveries.map(({ externalUserId }) => externalUserId ?? ""));
    if (deliveries.length < 100) break;
  }
  const names = planned.toSorted().slice(0, unanswered);
  for (const name of names) {
    const { user } = await api.getUser({ path: { id: name } });
    unansweredTo.add(String(user.traits.email));
  }
}

async function read(
  house: House,
  { name, pair, url }: Mailing,
  campaignId: string,
  reader: KnownCustomer,
  sentAt: number,
): Promise<void> {
  const { app } = house;
  const next = randomNumbers(reader.seed ^ Math.imul(name.length, 0xc2b2ae35));
  const side = pair === null ? 0 : (reader.sides[pair] ?? 0);
  const reading: Reading = READING[name][side] ?? READING[name][0];
  const draw = { opens: next(), clicks: next(), orders: next(), after: next() };
  const at = sentAt + 2 * MINUTE_MS + Math.floor(draw.after * draw.after * 1.5 * DAY_MS);
  if (draw.opens >= reading.opens || at >= house.now - HOUR_MS) return;
  const { lane, userKey } = reader;
  const delivery = { lane, userKey, campaignId, occasion: FIRST_OCCASION };
  const hit = (kind: "open" | "click", afterMs: number, to: string | null) =>
    app.get(hitBatch).add({ ...delivery, kind, at: at + afterMs, url: to, bot: null });
  await hit("open", 0, null);
  // Shares are of all who got it, and who clicks has opened it.
  if (draw.clicks >= reading.clicks / reading.opens) return;
  await hit("click", MINUTE_MS, url);
  if (draw.orders < reading.orders / reading.clicks)
    await did(house, reader, { name: PURCHASE, at: at + 20 * MINUTE_MS, props: { items: 1, cents: 1_450 } });
}

/** A person stops mail to a customer who asked for it by telephone. */
export const suppressByHand = ({ app, projectId }: House, address: string): Promise<unknown> =>
  app.database.kysely
    .transaction()
    .execute((tx) => decideSuppression(tx, projectId, address, "suppress", { by: "demo", at: app.clock() }));
