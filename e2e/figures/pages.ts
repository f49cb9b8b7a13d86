import type { Answer } from "@tidings/client";
import { DAY_MS } from "../../apps/server/src/platform/time/clock.ts";
import { agentFacts, approvalsFacts, proposalFacts, runFacts } from "./agents.ts";
import { conditionFacts, lineFacts } from "./audience.ts";
import { campaignFacts, campaignsFacts, editFacts } from "./campaigns.ts";
import { deviceFacts, emailFacts, pushCampaignFacts, pushFacts } from "./channels.ts";
import { connectionsFacts } from "./connections.ts";
import { goalEditFacts, goalFacts, goalsFacts } from "./goals.ts";
import { importFacts, importsFacts } from "./imports.ts";
import { journeyEditFacts, journeyFacts, journeysFacts, newJourneyFacts } from "./journeys.ts";
import { syncFacts } from "./syncs.ts";
import { systemFacts } from "./system.ts";
import { templateFacts, templatesFacts } from "./templates.ts";
import { activeUsers, count, countsOf, dayOf, type Truth } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { webhookFacts, webhooksFacts } from "./webhooks.ts";
import { day, exactTime, json, listOf, number, percent, row, things, time } from "./written.ts";

export const none = (): Facts => ({});
const WEEK_MS = 7 * DAY_MS;

const startOfDay = (at: number): number => at - (at % DAY_MS);
const startOfMonth = (at: number): number =>
  Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth());

async function overviewFacts({ truth }: View): Promise<Facts> {
  const { now, users, events, campaigns, client } = truth;
  const { withheldDeliveries } = await client.getOverview();
  const days = Array.from({ length: 90 }, (_, ago) => startOfDay(now) - ago * DAY_MS).map((at) => ({
    at,
    ...dayOf(truth, at),
  }));
  const { sends } = await client.listUnknownSends();
  const chart = (name: string, countIn: (each: (typeof days)[number]) => number): string[] => {
    const total = days.reduce((sum, each) => sum + countIn(each), 0);
    const [most] = days.toSorted((one, other) => countIn(other) - countIn(one) || one.at - other.at);
    const [first, last] = [days.at(-1), days[0]];
    if (most === undefined || first === undefined || last === undefined)
      throw new Error("There are 90 days.");
    return [
      `${name}: ${number(total)}`,
      `${name} from ${day(first.at)} to ${day(last.at)}: ${number(total)}, most on ${day(most.at)}, ${number(countIn(most))}.`,
    ];
  };
  return {
    everywhere: [
      ...(sends.length === 0
        ? []
        : [`${things(sends.length, "mail was", "mails were")} handed over, and no answer came.`]),
      `Users: ${number(users.length)}`,
      `Active this period: ${number(await activeUsers(truth, startOfMonth(now)))}`,
      `Events in 7 days: ${number(count(events, ({ ts }) => ts > now - WEEK_MS))}`,
      `Running campaigns: ${number(count(campaigns, ({ effectiveStatus }) => effectiveStatus === "running"))}`,
      `Withheld deliveries: ${number(withheldDeliveries)}`,
      "The last 90 days",
      "Events in 7 days",
      ...chart("Events", (each) => each.events),
      ...chart("Messages met", ({ met }) => met),
      ...chart("Converted", ({ converted }) => converted),
      ...days.flatMap(({ at, events: many, met, converted }) =>
        row(day(at), {
          Events: number(many),
          "Messages met": number(met),
          Converted: number(converted),
        }),
      ),
    ],
  };
}

/** An object as a page writes it in one line. */
const properties = (values: object | null): string =>
  Object.entries(values ?? {})
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

const EVENTS_A_PAGE = 50;

function eventsFacts({ truth: { events } }: View): Facts {
  const newest = events.slice(0, EVENTS_A_PAGE);
  const names = [...new Set(events.map(({ name }) => name))];
  return {
    "As they come": [
      ...newest.flatMap(({ ts, props }) => row(exactTime(ts), { Properties: properties(props) })),
      ...listOf(events.length, EVENTS_A_PAGE),
    ],
    "By name": names.flatMap((name) => {
      const all = events.filter((event) => event.name === name);
      const users = new Set(all.map(({ endUserId }) => endUserId));
      return row(name, { Times: number(all.length), Users: number(users.size) });
    }),
  };
}

const USERS_A_PAGE = 25;
const SHOWN_TRAITS = 3;

function usersFacts({ truth: { now, users } }: View): Facts {
  return {
    everywhere: [
      `All users: ${number(users.length)}`,
      `Seen in 7 days: ${number(count(users, ({ lastSeenAt }) => lastSeenAt > now - WEEK_MS))}`,
      `New in 7 days: ${number(count(users, ({ firstSeenAt }) => firstSeenAt > now - WEEK_MS))}`,
      // The names of two of them.
      "Seen in 7 days",
      "New in 7 days",
      ...users.slice(0, USERS_A_PAGE).flatMap(({ traits }) => {
        const all = Object.entries(traits);
        const shown = properties(Object.fromEntries(all.slice(0, SHOWN_TRAITS)));
        const more = all.length - SHOWN_TRAITS;
        return row(String(traits.name), { Traits: more > 0 ? `${shown}, and ${more} more` : shown });
      }),
      ...listOf(users.length, USERS_A_PAGE),
    ],
  };
}

const HAPPENINGS_A_PAGE = 50;

function userFacts({ truth, names }: View): Facts {
  const user = truth.users.find(({ externalUserId }) => externalUserId === names.$userId);
  if (user === undefined) throw new Error(`There is no user ${names.$userId}.`);
  const did = truth.events.filter(({ endUserId }) => endUserId === user.id);
  const got = [...truth.deliveries.values()].flat().filter(({ endUserId }) => endUserId === user.id);
  return {
    everywhere: Object.entries(user.traits).flatMap(([name, value]) =>
      row(name, { Value: typeof value === "string" ? value : JSON.stringify(value) }),
    ),
    Timeline: did.flatMap(({ ts, props }) => row(time(ts), { Details: properties(props) })),
    "What they did": [
      ...did.flatMap(({ name, props }) => row(name, { Details: properties(props) })),
      ...listOf(did.length, HAPPENINGS_A_PAGE),
    ],
    Messages: listOf(got.length, HAPPENINGS_A_PAGE),
  };
}

/** Whether a user has a trait that says what a segment of the shop asks for; each is written here as the shop's catalogue has it. */
type User = Truth["users"][number];
const ORDERED = "order_placed";

function isIn(truth: Truth, key: string, version: number, { id, traits, firstSeenAt }: User): boolean {
  const orderedWithin = (days: number): boolean =>
    truth.events.some(
      ({ name, endUserId, ts }) => name === ORDERED && endUserId === id && ts > truth.now - days * DAY_MS,
    );
  if (traits.newsletter !== true) return false;
  if (key === "letter-readers") return traits.customer_since !== undefined;
  if (version === 1) return !orderedWithin(14);
  return firstSeenAt <= truth.now - 45 * DAY_MS && !orderedWithin(21);
}

const members = (truth: Truth, key: string, version: number): User[] =>
  truth.users.filter((user) => isIn(truth, key, version, user));

const SEGMENTS_A_PAGE = 25;

const usersOf = ({ campaigns }: Truth, segmentId: string, version: number | null = null) =>
  campaigns.filter(
    ({ audience }) =>
      audience.kind === "segment" &&
      audience.segmentId === segmentId &&
      (version === null || audience.segmentVersion === version),
  );

async function segmentsFacts({ truth }: View): Promise<Facts> {
  const { segments } = await truth.client.searchSegments();
  return {
    everywhere: [
      ...segments.flatMap(({ id, name, currentVersion, summary }) => {
        const using = usersOf(truth, id);
        const ended = count(using, ({ status }) => status === "ended");
        const campaigns = [
          ...(using.length - ended > 0 ? [`${number(using.length - ended)} in use`] : []),
          ...(ended > 0 ? [`${number(ended)} ended`] : []),
        ];
        return row(name, {
          "Who is in it": summary ?? "",
          Version: number(currentVersion),
          Campaigns: campaigns.join(" / ") || "none",
        });
      }),
      ...listOf(segments.length, SEGMENTS_A_PAGE),
    ],
  };
}

async function segmentFacts({ truth, names }: View): Promise<Facts> {
  const id = names.$segmentId ?? "";
  const { segment } = await truth.client.getSegment({ path: { id } });
  const { key, currentVersion: version, summary, expression } = segment;
  const { versions } = await truth.client.listSegmentHistory({ path: { id } });
  const using = usersOf(truth, id);
  const { users } = truth;
  const [before, after] = [members(truth, key, 1), members(truth, key, version)];
  const joining = count(after, (user) => !before.includes(user));
  const leaving = count(before, (user) => !after.includes(user));
  const moves = [
    ...(joining > 0 ? [`${number(joining)} ${joining === 1 ? "comes" : "come"} in`] : []),
    ...(leaving > 0 ? [`${number(leaving)} ${leaving === 1 ? "drops" : "drop"} out`] : []),
  ];
  const moved = `Users: ${number(before.length)} before, ${number(after.length)} after. ${moves.join(", ")}.`;
  return {
    everywhere: [
      `version ${version}, changed ‹an instant› (UTC)`,
      summary ?? "",
      `${number(after.length)} of ${number(users.length)} users`,
      ...conditionFacts(truth, expression),
    ],
    Versions: [
      ...versions.flatMap((each) => [
        `Version: ${each.version}`,
        ...row(String(each.version), {
          "Who is meant": each.summary ?? "",
          Campaigns: number(count(usersOf(truth, id, each.version), ({ status }) => status !== "ended")),
        }),
      ]),
      // The words of both versions, in which those that went are struck through.
      ...(version > 1
        ? [moved, summary ?? "", `[From version]: ${version - 1}`, `[To version]: ${version}`]
        : []),
      ...listOf(versions.length, SEGMENTS_A_PAGE),
    ],
    Campaigns: [
      ...using.flatMap(({ name, audience }) => {
        const pinned = audience.kind === "segment" ? audience.segmentVersion : 0;
        const isOld = pinned !== version;
        return row(name, {
          "Uses version": isOld ? `${pinned}, while ${version} is current` : String(pinned),
        });
      }),
      ...listOf(using.length, SEGMENTS_A_PAGE),
    ],
    JSON: [`The rule as JSON: ${json(expression)}`],
  };
}

async function segmentEditFacts({ truth, names }: View): Promise<Facts> {
  const { segment } = await truth.client.getSegment({ path: { id: names.$segmentId ?? "" } });
  const rule = json(segment.expression);
  const numbers = [...rule.matchAll(/"(?:amount|value)": (\d+)/g)].map(([, typed]) => `‹field›: ${typed}`);
  return {
    everywhere: [
      `${number(members(truth, segment.key, segment.currentVersion).length)} of ${number(truth.users.length)} users`,
    ],
    Conditions: [...numbers, ...lineFacts(truth, segment.expression)],
    JSON: [`‹field›: ${rule}`],
  };
}

/** A rule without any condition, as a form begins with it. */
const NO_RULE = {
  version: 1,
  root: { kind: "field", field: { kind: "trait", key: "" }, op: "eq", value: "" },
};
const newSegmentFacts = (): Facts => ({ JSON: [`‹field›: ${json(NO_RULE)}`] });

async function usageFacts({ truth }: View): Promise<Facts> {
  const { client, now } = truth;
  const { projects, spendCapUsd, estimatedSpendUsd } = await client.getUsage();
  const active = await activeUsers(truth, startOfMonth(now));
  const { ai } = await client.getAgentSettings();
  const capped = truth.campaigns.reduce((sum, each) => sum + countsOf(truth, each).frequencyCapped, 0);
  return {
    everywhere: [
      `Active users, all projects: ${number(active)}`,
      `Estimated spend: $${estimatedSpendUsd.toFixed(2)}`,
      ...(spendCapUsd === null ? [] : [`Spend cap: $${spendCapUsd.toFixed(2)}`]),
      `Left out by the cap: ${number(capped)}`,
      `AI credits of this project: ${number(ai.creditsUsed)} of ${number(ai.monthlyLimit)}`,
      // The other projects of the test have no user.
      ...projects.flatMap(({ name, activeUsers }) => {
        const isOurs = name === "Test";
        return row(name, {
          "Active users": number(isOurs ? active : 0),
          Share: percent(isOurs ? 1 : 0),
          "Left out by the cap": number(isOurs ? capped : activeUsers * 0),
        });
      }),
    ],
  };
}

type Setting = Answer<"listPeopleSettings">["settings"][number];
const sentence = (meaning: string): string => `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;

const settingFacts = ({ value, isSecret, meaning, control }: Setting): string[] => [
  ...(isSecret ? [] : [`‹field›: ${String(value ?? "").replace(/\s+/g, " ")}`]),
  sentence(meaning),
  ...(control.kind === "number" ? [`from ${number(control.min)} to ${number(control.max)}`] : []),
];

async function settingsFacts({ truth: { client } }: View): Promise<Facts> {
  const { settings } = await client.listPeopleSettings();
  const { changes } = await client.listSettingLog();
  return {
    Settings: settings.flatMap(settingFacts),
    "Log of changes": changes.flatMap(({ at, after }) => row(time(at), { After: String(after ?? "") })),
  };
}

async function sourcesFacts({ truth: { client } }: View): Promise<Facts> {
  const { announcements } = await client.listAnnouncements();
  const { deployments } = await client.listDeployments();
  return {
    Campaigns: listOf(announcements.length, 25),
    Deployments: listOf(deployments.length, 25),
  };
}

async function sourceFacts({ truth: { client } }: View): Promise<Facts> {
  const { deployments } = await client.listDeployments();
  return { everywhere: listOf(deployments.length, 25) };
}

/** The project of the test beside that which every database of tests has, without anything in it. */
function projectsFacts({ truth: { now, users, events, campaigns } }: View): Facts {
  const week = count(events, ({ ts }) => ts > now - WEEK_MS);
  const running = count(campaigns, ({ effectiveStatus }) => effectiveStatus === "running");
  const line = (all: number, many: number, run: number): string =>
    `${things(all, "user")}, ${things(many, "event")} in 7 days, ${things(run, "running campaign")}`;
  return { everywhere: [line(users.length, week, running), line(0, 0, 0)] };
}

/** What organizations set is asked of another scope. */
async function organizationFacts({ organization }: View): Promise<Facts> {
  const { settings } = await organization.listPeopleSettings();
  return { Settings: settings.flatMap(settingFacts) };
}

/** What pages about all projects show of them as figures; one that is not here shows none. */
export const FACTS_OF_ALL: Readonly<Record<string, (view: View) => Facts | Promise<Facts>>> = {
  overview: projectsFacts,
  settings: organizationFacts,
};

/** What pages show as figures; one that is not here shows none. */
export const FACTS: Readonly<Record<string, (view: View) => Facts | Promise<Facts>>> = {
  agent: agentFacts,
  "agent/runs/$runId": runFacts,
  approvals: approvalsFacts,
  "approvals/$proposalId": proposalFacts,
  // The draft has one variant.
  "approvals/campaigns/$campaignId": () => ({ everywhere: ["100% of users"] }),
  campaigns: campaignsFacts,
  "campaigns/$campaignId": campaignFacts,
  "campaigns/new": ({ truth: { users } }) => ({
    everywhere: [`${number(users.length)} of ${number(users.length)} users`],
  }),
  "campaigns/$campaignId/edit": editFacts,
  connections: connectionsFacts,
  email: emailFacts,
  events: eventsFacts,
  goals: goalsFacts,
  "goals/$goalId": goalFacts,
  "goals/new": () => ({ everywhere: ["[Time to convert (days)]: 7", "[Held out (%)]: 0"] }),
  "goals/$goalId/edit": goalEditFacts,
  import: importsFacts,
  "import/$importId": importFacts,
  journeys: journeysFacts,
  "journeys/$journeyId": journeyFacts,
  "journeys/new": newJourneyFacts,
  "journeys/$journeyId/edit": journeyEditFacts,
  overview: overviewFacts,
  push: pushFacts,
  "push/devices/$installationId": deviceFacts,
  "push/campaigns/$campaignId": pushCampaignFacts,
  segments: segmentsFacts,
  "segments/$segmentId": segmentFacts,
  "segments/new": newSegmentFacts,
  "segments/$segmentId/edit": segmentEditFacts,
  settings: settingsFacts,
  sources: sourcesFacts,
  "sources/$sourceId": sourceFacts,
  "syncs/$syncId": syncFacts,
  system: systemFacts,
  templates: templatesFacts,
  "templates/$templateId": templateFacts,
  usage: usageFacts,
  users: usersFacts,
  "users/$userId": userFacts,
  webhooks: webhooksFacts,
  "webhooks/$webhookId": webhookFacts,
};
