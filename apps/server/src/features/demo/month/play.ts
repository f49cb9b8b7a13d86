import type { Client } from "@tidings/client";
import { DAY_MS, MINUTE_MS } from "../../../platform/clock.ts";
import { changeSettings } from "../../settings/public.ts";
import { LOOKS, look } from "./agent.ts";
import { DAYS, instantOf } from "./calendar.pure.ts";
import { goalUuid, identify, joinedAt, type Named, nameCustomers } from "./customers.ts";
import type { House } from "./house.ts";
import { bouncing, type MailFates, type Mailing, sendMail, suppressByHand } from "./mail.ts";
import { addressOf, drawCustomers } from "./people.pure.ts";
import { goneTokens, install, putCredentials, sendPushes, type Taken } from "./phones.ts";
import {
  CAMPAIGNS,
  type CampaignName,
  GOALS,
  HOLDOUT,
  PAIRS,
  QUIET_SINCE,
  SCENES,
  type Scene,
  SEGMENTS,
} from "./shop.pure.ts";
import { playVisits, type Stage, variantIdsOf } from "./shop-visits.ts";

type Body = Parameters<Client["createCampaign"]>[0]["body"];

/** What was made so far. */
type Made = {
  goals: Map<string, string>;
  campaigns: Map<CampaignName, { id: string; variantIds: readonly string[] }>;
};

const idOf = ({ campaigns }: Made, name: CampaignName): string => {
  const made = campaigns.get(name);
  if (made === undefined) throw new Error(`${name} is not made yet.`);
  return made.id;
};

/** Something that happens at an instant (epoch ms), once all visits of before have. */
type Turn = { at: number; does: () => Promise<void>; stepMs?: number };

/** Sent messages leave some milliseconds apart. */
const STEP_MS = 2;
/** How many mails of one campaign nobody knows the end of. */
const SILENT = 2;
/** The scheduled campaign begins in so long. */
const BEGINS_IN_MS = 3 * DAY_MS;

async function furnish(house: House, made: Made): Promise<void> {
  const { app, api, projectId } = house;
  await app.database.kysely.transaction().execute((tx) =>
    changeSettings(
      tx,
      app.secrets,
      projectId,
      {
        "email.from": "Daybreak Coffee <hello@daybreak.example>",
        "email.postalAddress": "Daybreak Coffee, 7 Harbour Lane, Springfield",
        "agent.policy": "statistical@1",
      },
      { by: "demo", now: app.clock() },
    ),
  );
  await putCredentials(house);
  for (const [name, body] of Object.entries(GOALS)) {
    const { goal } = await api.createGoal({ body });
    made.goals.set(name, goal.id);
  }
  for (const body of Object.values(SEGMENTS)) await api.createSegment({ body });
}

/** Makes, launches, pauses or ends a campaign. */
async function stageScene({ api, now }: House, made: Made, { does, campaign: name }: Scene): Promise<void> {
  if (does !== "make") {
    await api.setCampaignStatus({ path: { id: idOf(made, name) }, body: { action: does } });
    return;
  }
  const { goal, segment, ...body } = CAMPAIGNS[name] as Record<string, unknown>;
  const { campaign } = await api.createCampaign({
    // The catalogue names goals and segments by the names of the play; what it says beside them is what a request says.
    body: {
      ...body,
      ...(typeof goal === "string" && { goalId: made.goals.get(goal) }),
      ...(typeof segment === "string" && {
        audience: { kind: "segment", segment: SEGMENTS[segment as keyof typeof SEGMENTS].key },
      }),
      ...(name === "holidays" && { deliverFrom: now + BEGINS_IN_MS }),
    } as Body,
  });
  made.campaigns.set(name, { id: campaign.id, variantIds: variantIdsOf(campaign.variants) });
}

async function reviseSegment({ api }: House): Promise<void> {
  await api.updateSegment({
    path: { id: SEGMENTS.quiet.key },
    body: {
      expression: QUIET_SINCE,
      expectedVersion: 1,
      reason: "Two weeks were too soon to miss somebody.",
    },
  });
}

const stageOf = ({ campaigns }: Made): Stage =>
  new Map([...campaigns].map(([name, { id, variantIds }]) => [id, { name, variantIds }]));

/** Plays the month of a shop with so many customers, from its first day until now. */
export async function playMonth(
  house: House,
  count: number,
  ways: { fates: MailFates; taken: Taken; gone: Set<string> },
): Promise<void> {
  const { now } = house;
  const made: Made = { goals: new Map(), campaigns: new Map() };
  await house.at(instantOf(now, 0, 0.5), () => furnish(house, made));
  const [first, later] = [SCENES.filter(({ day }) => day === 0), SCENES.filter(({ day }) => day > 0)];
  for (const scene of first)
    await house.at(instantOf(now, 0, scene.hours), () => stageScene(house, made, scene));
  const customers = nameCustomers(house, drawCustomers(count, PAIRS.length, HOLDOUT / 100), {
    campaignIds: PAIRS.map((name) => idOf(made, name).slice("cmp_".length)),
    goalId: goalUuid(made.goals.get("orders") ?? ""),
  });
  const byAddress = new Map(customers.map((customer) => [addressOf(customer), customer]));
  for (const address of bouncing(customers)) (ways.fates.bounces as Set<string>).add(address);
  for (const token of goneTokens(customers)) ways.gone.add(token);

  const mailing = (name: Mailing["name"], pair: number | null, silent: number): Mailing => ({
    ...{
      id: idOf(made, name),
      name,
      pair,
      silent,
      url: "https://daybreak.example/coffee",
      readers: { count: 0 },
    },
  });
  let letter: Mailing | null = null;
  const post = (of: Mailing) => sendMail(house, byAddress, ways.fates, of);
  const scenes = later.map((scene): Turn => {
    const { day, hours, does, campaign } = scene;
    return {
      at: instantOf(now, day, hours),
      stepMs: does === "launch" ? STEP_MS : 0,
      async does() {
        await stageScene(house, made, scene);
        if (does !== "launch") return;
        if (campaign === "letter") letter = mailing("letter", PAIRS.indexOf("letter"), 0);
        if (campaign === "missYou") await post(mailing("missYou", null, SILENT));
        if (campaign === "restocked") await sendPushes(house, customers, ways.taken, idOf(made, "restocked"));
      },
    };
  });
  const letters = Array.from(
    { length: DAYS + 1 },
    (_, day): Turn => ({
      at: day === DAYS ? now - 2 * MINUTE_MS : instantOf(now, day, 8),
      stepMs: STEP_MS,
      does: async () => (letter === null ? undefined : post(letter)),
    }),
  );
  const looks = LOOKS.map(
    ({ day, hours, campaigns }, index): Turn => ({
      at: instantOf(now, day, hours),
      does: () =>
        look(
          house,
          campaigns.map((name) => idOf(made, name)),
          index === LOOKS.length - 1,
        ),
    }),
  );
  const others: Turn[] = [
    { at: instantOf(now, 14, 4), does: () => reviseSegment(house) },
    {
      at: instantOf(now, 20, 5),
      does: async () =>
        void (await suppressByHand(
          house,
          addressOf(customers.find(({ getsLetters }) => getsLetters) as Named),
        )),
    },
  ];
  const welcome = async (joining: readonly Named[]): Promise<void> => {
    // The app says first whose phone it is: of somebody whom the server has spoken of, it would have to prove that.
    await Promise.all(
      joining.map((each) =>
        house.at(Math.max(joinedAt(now, each), instantOf(now, 0)), () => install(house, each)),
      ),
    );
    await identify(house, joining);
  };
  await welcome(customers.filter(({ joinsOn }) => joinsOn < 0));
  let from = instantOf(now, 0);
  for (const { at, does, stepMs = 0 } of [
    ...scenes,
    ...letters,
    ...looks,
    ...others,
    { at: now, does: async () => undefined },
  ].toSorted((a, b) => a.at - b.at)) {
    const joining = customers.filter(
      (each) => each.joinsOn >= 0 && joinedAt(now, each) >= from && joinedAt(now, each) < at,
    );
    await welcome(joining);
    await playVisits(house, stageOf(made), customers, { from, until: at });
    await house.at(at, does, stepMs);
    from = at;
  }
}
