import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import type { App } from "../../../platform/runtime.ts";
import { readStored } from "../../audience/parse/stored.ts";
import { pointOf } from "../../deliveries/public.ts";
import { type Cursor, chooseVariant, nextCursor } from "../../deliveries/rules.ts";
import { personOf } from "../../templates/public.ts";
import { readCampaignCredentials, type Usable } from "../credentials.ts";
import { currentWording, type Wording } from "../definitions.ts";
import { noteFailure } from "../fault-store.ts";
import { slotKeyOf } from "../record-ids.ts";
import { fillDefinition } from "../render.ts";
import { chooseDevices, deviceFault, RECHECK_MS } from "../rules.ts";
import {
  type Admission,
  admit,
  type Candidate,
  findCandidates,
  findPlansAcrossProjects,
  movePlan,
  type NewSlot,
  noteRecheck,
  type Plan,
  type PlannedDevice,
  type Question,
} from "./plan-store.ts";

/** Users that are looked at in one page. */
const PAGE = 2_000;
/** Users that are written at once. */
const WRITTEN_AT_ONCE = 500;
const LANES = 64;
/** New users are looked for this long after a pass, or twenty times as long as the pass took. */
const BETWEEN_PASSES_MS = MINUTE_MS;
const REST_PER_WORK = 20;
/** Looking at those who wait takes at most a third of the time: the next look is begun before the last one is too old. */
const RECHECK_SHARE = 2;

/** A user with the devices that have the app, who is to be planned for in a campaign or a test. */
type Person = Pick<Candidate, "lane" | "userKey" | "externalId" | "traits" | "serverTraits" | "devices">;

/** What a user is planned with. */
export type Planning = {
  wording: Wording;
  credentials: Usable;
  /** The campaign, or the test. */
  sendId: string;
  now: number;
};

/** What to write for a user: the devices that are chosen, or why there is none yet. */
export function plannedFor(person: Person, variantId: string, planning: Planning): Admission | null {
  const { wording, credentials, sendId, now } = planning;
  const { lane, userKey } = person;
  const { projectId, campaignId, settings } = wording;
  const definition = wording.definitions.get(variantId);
  if (definition === undefined) return null;
  const base = { lane, userKey, campaignId, sendId, projectId, variantId, now };
  const filled = fillDefinition(definition, personOf(person));
  if ("reason" in filled) return { recipient: { ...base, reason: filled.reason }, slots: [] };
  const devices = person.devices.map((device) => ({
    ...device,
    fault: deviceFault(device, filled.content, credentials.has(device)),
  }));
  const found = chooseDevices(devices, settings.selection);
  if ("reason" in found) return { recipient: { ...base, reason: found.reason }, slots: [] };
  const expiresAt = now + settings.ttlSeconds * SECOND_MS;
  const slots = found.chosen.flatMap((device: PlannedDevice): NewSlot[] => {
    const credential = credentials.of(device);
    if (credential === null) return [];
    const slot = {
      ...base,
      slotKey: slotKeyOf(userKey, sendId, device.installationKey),
      isTest: sendId !== campaignId,
      installationLane: device.installationLane,
      installationKey: device.installationKey,
      installationId: device.installationId,
      bindingGeneration: device.bindingGeneration,
      selectedBy: wording.selectedBy,
      replacementKey: settings.replacementKey ?? null,
      expiresAt,
      definitionId: definition.id,
      credentialId: credential.id,
      credentialRevision: credential.revision,
      tokenRevision: device.tokenRevision,
      targetExpiresAt: Math.min(expiresAt, wording.deliverUntil ?? expiresAt),
      content: filled.own,
    };
    return [slot];
  });
  return { recipient: { ...base, reason: null }, slots };
}

/** What a campaign is planned with at this moment; null once it is gone. */
async function openPlanning(app: App, { projectId, campaignId }: Plan): Promise<Planning | null> {
  const wording = await currentWording(app, app.database.kysely, projectId, campaignId);
  if (wording === null) return null;
  const credentials = await readCampaignCredentials(
    app,
    app.database.kysely,
    projectId,
    wording.settings.appId,
  );
  return { wording, credentials, sendId: campaignId, now: app.clock() };
}

/** One page of an audience: who is found there is planned for, or looked at again. Done twice, it plans nothing twice. */
async function planPage(
  app: App,
  plan: Plan,
  planning: Planning,
  who: Question["who"],
  cursor: Cursor,
): Promise<Cursor | "end"> {
  const { projectId, campaignId } = plan;
  const { wording, now } = planning;
  const stored = readStored(plan.audience);
  // An audience that cannot be read is nobody's.
  const candidates =
    stored.kind === "invalid"
      ? []
      : await findCandidates(
          app.database.kysely,
          {
            ...{ projectId, campaignId, who, evaluatedAt: now, settings: wording.settings },
            expression: stored.kind === "all" ? null : stored.expression,
          },
          { lane: cursor?.lane ?? null, after: cursor?.userKey ?? null, limit: PAGE },
        );
  const admissions = candidates.flatMap((candidate) => {
    const variantId =
      candidate.waiting?.variantId ??
      chooseVariant(wording.variants, pointOf(campaignId, candidate.userKey))?.id;
    const planned = variantId === undefined ? null : plannedFor(candidate, variantId, planning);
    // Who still waits for the same is not written again.
    const isNews =
      planned !== null &&
      (planned.slots.length > 0 || planned.recipient.reason !== candidate.waiting?.reason);
    return isNews ? [planned] : [];
  });
  for (let from = 0; from < admissions.length; from += WRITTEN_AT_ONCE) {
    const some = admissions.slice(from, from + WRITTEN_AT_ONCE);
    await inTransaction(app.database.hotPool, (client) => admit(client, some));
  }
  return nextCursor(cursor, candidates, PAGE);
}

/** Goes one page further through the users who have no place yet. */
export async function planNext(app: App, plan: Plan): Promise<Cursor | "end"> {
  const planning = await openPlanning(app, plan);
  if (planning === null) return "end";
  const began = performance.now();
  const to = await planPage(app, plan, planning, "new", plan.cursor);
  const took = Math.ceil(performance.now() - began) * (plan.cursor === null ? 1 : LANES);
  await movePlan(app.database.kysely, plan, {
    cursor: to === "end" ? null : to,
    nextPassAt: to === "end" ? app.clock() + Math.max(BETWEEN_PASSES_MS, took * REST_PER_WORK) : null,
  });
  return to;
}

/** Looks at everybody who waits. */
export async function recheck(app: App, plan: Plan): Promise<void> {
  const planning = await openPlanning(app, plan);
  if (planning === null) return;
  const began = performance.now();
  for (let cursor: Cursor | "end" = null; cursor !== "end"; )
    cursor = await planPage(app, plan, planning, "waiting", cursor);
  const took = Math.ceil(performance.now() - began);
  const checkedAt = planning.now;
  const rest = Math.max(RECHECK_MS - took, took * RECHECK_SHARE);
  await noteRecheck(app.database.kysely, plan, {
    checkedAt,
    recheckAt: checkedAt + Math.min(rest, RECHECK_MS),
  });
}

/** Projects that are planned side by side: one whose audience takes long leaves room for others. */
const AT_ONCE = 2;
/** A plan that failed is left alone for a while, and all others go on. */
const AFTER_A_FAILURE_MS = 10 * SECOND_MS;

/** Plans campaign push: who newly belongs to an audience gets a place, who waits for a device is looked at again. */
export const planLoop = projectLoop({
  name: "plan push",
  atOnce: AT_ONCE,
  find: (app) => findPlansAcrossProjects(app.database.kysely, "all", app.clock()),
  async turn(app, projectId, due) {
    for (const plan of due) {
      const { campaignId } = plan;
      try {
        if (plan.recheckAt <= app.clock()) await recheck(app, plan);
        if (plan.nextPassAt <= app.clock()) await planNext(app, plan);
      } catch (cause) {
        app.log.error(
          { err: cause, projectId, campaignId },
          "a campaign could not be planned; it will be tried again",
        );
        const now = app.clock();
        const until = now + AFTER_A_FAILURE_MS;
        await noteFailure(app.database.kysely, { projectId, campaignId, what: "planning", now, until });
      }
    }
    return true;
  },
});

/** How long somebody who asks for it is kept waiting for a plan; the rest is planned as always. */
const NOW_MS = 5_000;

/** Plans a campaign that runs now: who is new, and who waits. */
export async function planNow(app: App, which: { projectId: string; campaignId: string }): Promise<void> {
  const until = performance.now() + NOW_MS;
  const find = () => findPlansAcrossProjects(app.database.kysely, which, app.clock());
  const [first] = await find();
  if (first === undefined) return;
  await recheck(app, first);
  for (let [plan] = await find(); plan !== undefined && performance.now() < until; [plan] = await find())
    if ((await planNext(app, plan)) === "end") return;
}
