import { apiId } from "../../domain/ids.ts";
import { atOneInstant } from "../../platform/db/transactions/at-one-instant.ts";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { type PersonRole, reaches } from "../../platform/http/contract/person.ts";
import { listProposals, readAtWork } from "../agent/evaluations/public.ts";
import { listWaitingDrafts } from "../approvals/public.ts";
import { findCampaign, type Launching } from "../campaigns/authoring/public.ts";
import { servingOf } from "../counting/usage/public.ts";
import { emailPausedBecause, pushPausedBecause, type Serving } from "../counting/usage/rules.ts";
import { listFaults, listSplitting } from "../deliveries/public.ts";
import { countUnknownSends } from "../email/sending/public.ts";
import { listOpenBreaches } from "../guardrails/public.ts";
import { listTakenBack, readStep } from "../launch/public.ts";
import { listSources } from "../sources/registry/public.ts";
import { listFailingSyncs } from "../syncs/public.ts";
import { listFaultyWebhooks } from "../webhooks/public.ts";
import { waitingItems } from "./rules.ts";
import { MOST_COUNTED, MOST_NAMED, Waiting } from "./schema.ts";
import { findBrokenSplits, MOST_LOOKED_AT } from "./splits.ts";

/** How many of the drafts are looked at for what they wait for: the newest. */
const MOST_DRAFTS = 20;

const named = ({ id, name }: { id: string; name: string }) => ({
  campaignId: apiId("cmp", id),
  campaignName: name,
});

/** Proposals that wait, the newest first: there is at most one of each campaign. */
async function findProposals({ db, projectId, now }: Launching): Promise<Waiting["proposals"]> {
  const filter = { campaignId: undefined, status: "pending" as const, now };
  const { rows, total } = await listProposals(db, projectId, filter, { offset: 0, limit: MOST_NAMED });
  const found: Waiting["proposals"]["items"] = [];
  for (const { id, campaignId, expiresAt } of rows) {
    const campaign = await findCampaign(db, projectId, campaignId);
    if (campaign !== null) found.push({ id: apiId("prop", id), ...named(campaign), expiresAt });
  }
  return waitingItems(found, (each) => each, total);
}

/** What lies there because no agent is at work. */
async function findUnattended(reading: Launching): Promise<Waiting["unattended"]> {
  const { by, hasPolicy, overdue } = await readAtWork(reading);
  return by === "nobody" && overdue !== null ? { ...overdue, hasPolicy } : null;
}

/** Drafts that announce changes, by what they wait for people to do. */
async function findDrafts(ctx: Launching): Promise<Pick<Waiting, "approvals" | "drafts">> {
  const toApprove: { id: string; name: string }[] = [];
  const toLaunch: typeof toApprove = [];
  for (const draft of await listWaitingDrafts(ctx.db, ctx.projectId, MOST_DRAFTS)) {
    const read = await readStep(ctx, draft.id);
    if (read?.step === "approve") toApprove.push(draft);
    if (read?.step === "launch") toLaunch.push(draft);
  }
  return { approvals: waitingItems(toApprove, named), drafts: waitingItems(toLaunch, named) };
}

/** Why nothing leaves of running campaigns. That serving is closed is said once, and not of each of them. */
async function findFaults({ db, projectId }: Launching, serving: Serving): Promise<Waiting["faults"]> {
  const closed = [emailPausedBecause(serving), pushPausedBecause(serving)];
  const rows = await listFaults(db, projectId, MOST_COUNTED);
  const others = rows.filter(({ fault }) => !closed.includes(fault));
  return waitingItems(others, ({ campaignId, campaignName, fault, faultAt }) => ({
    campaignId: apiId("cmp", campaignId),
    campaignName,
    fault,
    since: faultAt,
  }));
}

/** Webhooks that a fault has switched off. Their addresses are for those who may see the page of webhooks. */
async function findFaultyWebhooks(
  { db, projectId }: Pick<Launching, "db" | "projectId">,
  role: PersonRole | null,
): Promise<Waiting["webhooks"]> {
  const rows = reaches(role, "approver") ? await listFaultyWebhooks(db, projectId, MOST_COUNTED) : [];
  return waitingItems(rows, ({ id, name, offBecause, offAt }) => ({
    id: apiId("wh", id),
    name,
    offBecause,
    since: offAt,
  }));
}

/** Syncs that fail. Where they write is for those who may see the page of syncs. */
async function findFailingSyncs(
  { db, projectId }: Pick<Launching, "db" | "projectId">,
  role: PersonRole | null,
): Promise<Waiting["syncs"]> {
  const rows = reaches(role, "approver") ? await listFailingSyncs(db, projectId, MOST_COUNTED) : [];
  return waitingItems(rows, ({ id, place, fault, failingSince }) => ({
    id: apiId("sync", id),
    name: place,
    fault,
    since: failingSince,
  }));
}

export const getWaiting = endpoint(
  {
    id: "getWaiting",
    method: "GET",
    path: "/api/people/waiting",
    tag: "People",
    summary: "What waits for people in a project",
    description:
      "All of it at one instant, but for the split of campaigns, which is counted once a minute. Of the running campaigns and of the drafts, the 20 newest are looked at for their split and for what they wait for.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    result: Waiting,
  },
  async (ctx) => {
    const { app, projectId, now } = ctx;
    const { role } = personOf(ctx);
    // Usage is remembered by this process, and read over connections of its own.
    const { serving, emailServing } = await servingOf(app, projectId);
    const broken = await findBrokenSplits(app, projectId);
    return atOneInstant(ctx.db, async (db) => {
      const reading = { ...ctx, db };
      const takenBack = await listTakenBack(db, projectId, now, MOST_COUNTED);
      const breaches = await listOpenBreaches(db, projectId, MOST_COUNTED);
      // One that was paused or renamed meanwhile is not what it was when its users were counted.
      const splitting = await listSplitting(db, projectId, MOST_LOOKED_AT);
      const splits = splitting.filter(({ id }) => broken.has(id));
      const sources = await listSources(db, projectId);
      const failing = sources.filter(
        ({ state, enabled, paused }) => state === "unavailable" && enabled && !paused,
      );
      return {
        evaluatedAt: now,
        serving,
        emailServing,
        faults: await findFaults(reading, { serving, emailServing }),
        breaches: waitingItems(breaches, ({ campaignId, campaignName, limitValue: limit, ...breach }) => ({
          campaignId: apiId("cmp", campaignId),
          campaignName,
          limit,
          guardrail: breach.guardrail,
          observed: breach.observed,
          breachedAt: breach.breachedAt,
        })),
        takenBack: waitingItems(takenBack, ({ campaignId, ...warning }) => ({
          campaignId: apiId("cmp", campaignId),
          ...warning,
        })),
        splits: waitingItems(splits, named),
        sources: waitingItems(failing, ({ id, reason }) => ({ id, reason })),
        webhooks: await findFaultyWebhooks(reading, role),
        syncs: await findFailingSyncs(reading, role),
        unknownMails: await countUnknownSends(db, projectId, MOST_COUNTED),
        unattended: await findUnattended(reading),
        proposals: await findProposals(reading),
        ...(await findDrafts(reading)),
      };
    });
  },
);
