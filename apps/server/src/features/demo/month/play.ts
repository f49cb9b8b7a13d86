import type { Client } from "@tidings/client";
import { DAY_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { changeSettings, houseSettings } from "../../settings/public.ts";
import { LOOKS, look, REMARKS, remark } from "./agent.ts";
import { instantOf, MONTH_DAYS } from "./calendar.pure.ts";
import {
  campaignUuid,
  goalUuid,
  identifyCustomers,
  joinedAt,
  type KnownCustomer,
  nameCustomers,
} from "./customers.ts";
import type { House } from "./house.ts";
import { bouncing, type MailFates, type Mailing, sendMail, suppressByHand } from "./mail.ts";
import { addressOf, drawCustomers } from "./people.pure.ts";
import { goneTokens, install, putCredentials, sendPushes, type Taken } from "./phones.ts";
import {
  CAMPAIGNS,
  type CampaignName,
  type CampaignScene,
  GOALS,
  HOLDOUT,
  PAIRS,
  QUIET_SINCE,
  SCENES,
  SEGMENTS,
} from "./shop.pure.ts";
import { playVisits, type ShopStage, variantIdsOf } from "./shop-visits.ts";

type Body = Parameters<Client["createCampaign"]>[0]["body"];

/** What becomes of mail and pushes, which the play decides as it goes. */
export type Fates = { mail: MailFates; taken: Taken; gone: Set<string> };

/** A month that is being played: what was made so far, and for whom. */
type Month = {
  house: House;
  goals: Map<string, string>;
  campaigns: Map<CampaignName, { id: string; variantIds: readonly string[] }>;
  customers: readonly KnownCustomer[];
  byAddress: ReadonlyMap<string, KnownCustomer>;
  fates: Fates;
  /** The newsletter goes out every morning, once it was launched. */
  newsletter: Mailing | null;
};

/** Something that happens at an instant (epoch ms), once all visits of before have. `stepMs`: how far apart messages leave. */
type Turn = { at: number; does: () => Promise<void>; stepMs?: number };

const STEP_MS = 2;
/** How many mails of one campaign end without an answer. */
const UNANSWERED = 2;
/** The scheduled campaign begins in so long. */
const BEGINS_IN_MS = 3 * DAY_MS;
/** The last newsletters leave so long before the month is over. */
const LAST_POST_MS = 2 * MINUTE_MS;

const SETTINGS = {
  "email.from": "Daybreak Coffee <hello@daybreak.example>",
  "email.postalAddress": "Daybreak Coffee, 7 Harbour Lane, Springfield",
  "agent.policy": "statistical@1",
};

const idOf = ({ campaigns }: Pick<Month, "campaigns">, name: CampaignName): string => {
  const made = campaigns.get(name);
  if (made === undefined) throw new Error(`${name} is not made yet.`);
  return made.id;
};

/** Sender, credentials, goals and segments, before any customer comes. Answers the goals by the names of the play. */
async function furnish(house: House): Promise<Map<string, string>> {
  const { app, api, projectId } = house;
  const change = { groups: app.ask(houseSettings)(), by: "demo", now: app.clock() };
  await app.database.kysely
    .transaction()
    .execute((tx) => changeSettings(tx, app.secrets, projectId, SETTINGS, change));
  await putCredentials(house);
  const goals = new Map<string, string>();
  for (const [name, body] of Object.entries(GOALS)) goals.set(name, (await api.createGoal({ body })).goal.id);
  for (const body of Object.values(SEGMENTS)) await api.createSegment({ body });
  return goals;
}

/** The request that makes a campaign of the catalogue, which names goals and segments by the names of the play. */
function bodyOf({ house, goals }: Pick<Month, "house" | "goals">, name: CampaignName): Body {
  const { goal, segment, ...body } = CAMPAIGNS[name] as Record<string, unknown>;
  const key = Object.entries(SEGMENTS).find(([called]) => called === segment)?.[1].key;
  return {
    ...body,
    ...(typeof goal === "string" && { goalId: goals.get(goal) }),
    ...(key !== undefined && { audience: { kind: "segment", segment: key } }),
    ...(name === "holidays" && { deliverFrom: house.now + BEGINS_IN_MS }),
    // The API itself looks at what the catalogue says.
  } as Body;
}

/** Makes, launches, pauses or ends a campaign, at the instant of the house. */
async function stageScene(
  month: Pick<Month, "house" | "goals" | "campaigns">,
  { does, campaign: name }: CampaignScene,
): Promise<void> {
  const { api } = month.house;
  if (does !== "make") {
    await api.setCampaignStatus({ path: { id: idOf(month, name) }, body: { action: does } });
    return;
  }
  const { campaign } = await api.createCampaign({ body: bodyOf(month, name) });
  month.campaigns.set(name, { id: campaign.id, variantIds: variantIdsOf(campaign.variants) });
}

/** What leaves when a campaign is launched. */
async function sendOut(month: Month, name: CampaignName): Promise<void> {
  const { house, customers, byAddress, fates } = month;
  const mailing = (campaign: Mailing["name"], pair: number | null, unanswered: number): Mailing => ({
    id: idOf(month, campaign),
    name: campaign,
    pair,
    unanswered,
    url: "https://daybreak.example/coffee",
    readers: { count: 0 },
  });
  if (name === "newsletter") month.newsletter = mailing(name, PAIRS.indexOf(name), 0);
  if (name === "missYou") await sendMail(house, byAddress, fates.mail, mailing(name, null, UNANSWERED));
  if (name === "restocked") await sendPushes(house, customers, fates.taken, idOf(month, name));
}

async function reviseSegment({ api }: House): Promise<void> {
  await api.updateSegment({
    path: { id: SEGMENTS.quiet.key },
    body: {
      expression: QUIET_SINCE,
      expectedVersion: 1,
      reason: "Two weeks were too soon to miss a customer.",
    },
  });
}

/** A customer asked by telephone for no more mail. */
async function stopMail({ house, customers }: Month): Promise<void> {
  const asking = customers.find(({ getsNewsletter }) => getsNewsletter);
  if (asking !== undefined) await suppressByHand(house, addressOf(asking));
}

/** All that happens beside visits, in its order. */
function turnsOf(month: Month): Turn[] {
  const { house, byAddress, fates } = month;
  const { now } = house;
  const scenes = SCENES.filter(({ day }) => day > 0).map(
    (scene): Turn => ({
      at: instantOf(now, scene.day, scene.hours),
      stepMs: scene.does === "launch" ? STEP_MS : 0,
      async does() {
        await stageScene(month, scene);
        if (scene.does === "launch") await sendOut(month, scene.campaign);
      },
    }),
  );
  const post = Array.from(
    { length: MONTH_DAYS + 1 },
    (_, day): Turn => ({
      at: day === MONTH_DAYS ? now - LAST_POST_MS : instantOf(now, day, 8),
      stepMs: STEP_MS,
      does: async () =>
        month.newsletter === null ? undefined : sendMail(house, byAddress, fates.mail, month.newsletter),
    }),
  );
  const looks = LOOKS.map(
    ({ day, hours, campaigns }, index): Turn => ({
      at: instantOf(now, day, hours),
      does: () =>
        look(
          house,
          campaigns.map((name) => idOf(month, name)),
          index === LOOKS.length - 1,
        ),
    }),
  );
  const remarks = REMARKS.map(
    (each): Turn => ({ at: instantOf(now, each.day, each.hours), does: () => remark(house, each) }),
  );
  const others: Turn[] = [
    { at: instantOf(now, 14, 4), does: () => reviseSegment(house) },
    { at: instantOf(now, 20, 5), does: () => stopMail(month) },
    { at: now, does: async () => undefined },
  ];
  return [...scenes, ...post, ...looks, ...remarks, ...others].toSorted((a, b) => a.at - b.at);
}

/** Customers come for the first time: with the app, those who have it. */
async function welcome(house: House, joining: readonly KnownCustomer[]): Promise<void> {
  const begins = instantOf(house.now, 0);
  // The app says first whose phone it is: of a customer whom the server has spoken of, it would have to prove that.
  await Promise.all(
    joining.map((each) => house.at(Math.max(joinedAt(house.now, each), begins), () => install(house, each))),
  );
  await identifyCustomers(house, joining);
}

/** Opens the shop: what is there before the first customer, and the customers, named to fit the campaigns that divide them. */
async function open(house: House, count: number, fates: Fates): Promise<Month> {
  const { now } = house;
  const goals = await house.at(instantOf(now, 0, 0.5), () => furnish(house));
  const campaigns: Month["campaigns"] = new Map();
  for (const scene of SCENES.filter(({ day }) => day === 0))
    await house.at(instantOf(now, 0, scene.hours), () => stageScene({ house, goals, campaigns }, scene));
  const customers = nameCustomers(house, drawCustomers(count, PAIRS.length, HOLDOUT / 100), {
    campaignIds: PAIRS.map((name) => campaignUuid(idOf({ campaigns }, name))),
    goalId: goalUuid(goals.get("orders") ?? ""),
  });
  for (const address of bouncing(customers)) fates.mail.bounces.add(address);
  for (const token of goneTokens(customers)) fates.gone.add(token);
  const byAddress = new Map(customers.map((customer) => [addressOf(customer), customer]));
  return { house, goals, campaigns, customers, byAddress, fates, newsletter: null };
}

/** Plays the month of a shop with so many customers, from its first day until now. */
export async function playMonth(house: House, count: number, fates: Fates): Promise<void> {
  const { now } = house;
  const month = await open(house, count, fates);
  const { campaigns, customers } = month;
  await welcome(
    house,
    customers.filter(({ joinsOn }) => joinsOn < 0),
  );
  let from = instantOf(now, 0);
  for (const { at, does, stepMs } of turnsOf(month)) {
    const stage: ShopStage = new Map(
      [...campaigns].map(([name, { id, variantIds }]) => [id, { name, variantIds }]),
    );
    const isNew = (customer: KnownCustomer): boolean => {
      const joins = joinedAt(now, customer);
      return customer.joinsOn >= 0 && joins >= from && joins < at;
    };
    await welcome(house, customers.filter(isNew));
    await playVisits(house, stage, customers, { from, until: at });
    await house.at(at, does, stepMs);
    from = at;
  }
}
