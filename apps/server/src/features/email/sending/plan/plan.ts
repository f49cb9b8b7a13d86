import { FIRST_OCCASION, type UserRef } from "../../../../domain/ids.ts";
import type { App } from "../../../../platform/runtime.ts";
import { type CampaignAllocation, readAllocation } from "../../../campaigns/authoring/public.ts";
import { choicesOf, findHadAsGuest } from "../../../consent/choices/public.ts";
import { decisionOf, gatesAt, reasonAt, stopOf } from "../../../deliveries/gates/list.ts";
import {
  CANDIDATE,
  drawVariant,
  NO_USERS,
  noVariant,
  readPage,
  type Sweep,
  type Sweeper,
  sweepLoop,
  sweepNow,
} from "../../../deliveries/public.ts";
import { projectClock } from "../../../timing/public.ts";
import { readerClock } from "../../../timing/reader-clock.pure.ts";
import { leavesAt } from "../../../timing/send-time.pure.ts";
import { timeWords } from "../../../timing/wait-words.pure.ts";
import { addressRef, findSuppressed } from "../../addresses/public.ts";
import { parseAddress } from "../../addresses/rules.ts";
import { emailGates } from "../gates/email-gates.ts";
import { emailChannel } from "../send/channel.ts";
import { type PlannedSend, writeSends } from "./intake.ts";
import { type EmailCandidate, findCandidates, hasOpenSends } from "./plan-store.ts";

const GATES = gatesAt(emailGates, "plan");

/** What a plan makes of a candidate: the message to queue, or to withhold, or why there is none. */
export type Decided = UserRef & ({ planned: PlannedSend } | { reason: string });

/** Decides about candidates by the gates of a plan, in their order. `occasion` is the one of the message of a candidate. */
export async function decideFor<Candidate extends EmailCandidate>(
  app: App,
  { projectId, campaignId }: Pick<Sweep, "projectId" | "campaignId">,
  candidates: readonly Candidate[],
  { current, variants, topic, timing }: CampaignAllocation,
  occasionOf: (candidate: Candidate) => number,
): Promise<Decided[]> {
  if (candidates.length === 0) return [];
  const project = await projectClock(app.database.kysely, projectId, timing);
  const postponedBy = timeWords(timing, { "time.zone": project.name });
  const now = app.clock();
  const addressed = candidates.map((candidate) => {
    const to = parseAddress(candidate.email);
    return { ...candidate, to, ref: to === null ? null : addressRef(projectId, to.address) };
  });
  const refs = addressed.flatMap(({ ref }) => (ref === null ? [] : [{ ...ref, projectId }]));
  const found = await findSuppressed(app.database.hotPool, refs);
  const suppressed = new Set(found.map(({ address_key }) => address_key));
  const choices = await choicesOf(app.database.hotPool, topic, refs);
  // Guests get only what is about a topic.
  const mailed = topic === null ? [] : refs.map((ref) => ({ ...ref, campaignId }));
  const had = mailed.length === 0 ? [] : await findHadAsGuest(app.database.hotPool, mailed);
  const hadAsGuest = new Set(had.map(({ address_key }) => address_key));
  return addressed.map((candidate): Decided => {
    const { ref, lane, userKey, drawKey, addressGivenAt, isGuest, hasUser, zone, ...each } = candidate;
    const variant = drawVariant(variants, campaignId, drawKey);
    if (variant === null) throw noVariant();
    const isSuppressed = ref !== null && suppressed.has(ref.addressKey);
    const choice = choices.get(ref?.addressKey ?? "") ?? null;
    // Which addresses are confirmed, is decided where the messages are written.
    const facts = {
      ...CANDIDATE,
      ...each,
      drawKey,
      variant,
      current,
      isSuppressed,
      topic,
      choice,
      isGuest,
      hasTwin: isGuest ? hasUser : hadAsGuest.has(ref?.addressKey ?? ""),
      addressGivenAt,
      wouldConfirm: true,
    };
    const stop = stopOf(GATES, facts);
    if (stop !== null && !stop.withholds)
      return { lane, userKey, reason: reasonAt(stop, facts) ?? stop.gate };
    const delivery = { lane, userKey, campaignId, occasion: occasionOf(candidate), projectId };
    const dueAt = leavesAt(timing, readerClock(zone, project), project, now);
    const later = postponedBy === null || dueAt <= now ? null : { dueAt, postponedBy };
    const planned = { ...delivery, ...decisionOf(stop, variant, current), now, addressGivenAt, later };
    return { lane, userKey, planned };
  });
}

const sweeper: Sweeper = {
  channel: "email",
  sendLoop: emailChannel.sendLoop,
  async queuePage(app, sweep, place) {
    const { projectId, campaignId } = sweep;
    const { kysely } = app.database;
    const allocation = await readAllocation(kysely, projectId, campaignId);
    if (allocation === null) return NO_USERS;
    const page = await readPage(kysely, projectId, allocation.audience, place);
    const { until } = page.range;
    const found = await findCandidates(kysely, sweep, allocation.current, page);
    const decided = await decideFor(app, sweep, found, allocation, () => FIRST_OCCASION);
    const planned = decided.flatMap((each) => ("planned" in each ? [each.planned] : []));
    if (planned.length === 0) return { until, wrote: false, unconfirmed: 0, again: false };
    return { until, wrote: true, ...(await writeSends(app, projectId, planned)) };
  },
  hasOpen: hasOpenSends,
};

/** Sweeps the audiences of running email campaigns, and queues a send for every new user. */
export const planLoop = sweepLoop(sweeper);

/** The longest that a caller waits for a plan; users who are left are found by the next sweep. */
const NOW_MS = 5_000;

/** Plans a running campaign at once, for the users that it has not reached yet. */
export const planNow = (app: App, which: { projectId: string; campaignId: string }): Promise<void> =>
  sweepNow(app, sweeper, which, NOW_MS);
