import type { UserRef } from "../../../domain/ids.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { type CampaignAllocation, readAllocation } from "../../campaigns/authoring/public.ts";
import { missingFields } from "../../deliveries/census/gaps.pure.ts";
import { type ReasonOf, reasonsOf, settingsOf } from "../../deliveries/gates/list.ts";
import {
  type Bucket,
  type Census,
  type CensusQuestion,
  countsOf,
  readGapCounts,
} from "../../deliveries/public.ts";
import { readSettings } from "../../settings/public.ts";
import { laterCounter } from "../../timing/public.ts";
import { addressRef } from "../addresses/public.ts";
import { parseAddress } from "../addresses/rules.ts";
import {
  type Cutoff,
  countEmailBuckets,
  countEmailReaders,
  countGiven,
  type EmailScope,
  type OddAddress,
  pagesOfUnjudged,
  readIntakes,
  readLastConfirmed,
} from "./census-store.ts";
import { emailGates } from "./gates/email-gates.ts";
import { hourOf } from "./rules.ts";

/** The valid addresses among those that only `parseAddress` can read; of one hour where it is given. */
async function readOdd(scope: EmailScope, hourAt: number | null): Promise<OddAddress[]> {
  const { projectId } = scope.question;
  const odd = new Map<string, OddAddress>();
  for await (const unjudged of pagesOfUnjudged(scope, hourAt))
    for (const { email } of unjudged) {
      const to = parseAddress(email);
      if (to === null) continue;
      const key = addressRef(projectId, to.address).addressKey.replaceAll("-", "");
      odd.set(email, { email, key });
    }
  return [...odd.values()];
}

/** How many more addresses of each hour may be confirmed: `identity.newAddressesPerHour`, less those that were. */
async function readLeft(
  { db, projectId }: CensusQuestion,
  perHour: number,
  hours: readonly number[],
): Promise<(hourAt: number) => number> {
  const taken = await readIntakes(db, projectId, hours);
  return (hourAt) => Math.max(perHour - (taken.get(hourAt) ?? 0), 0);
}

/** Where the sweep stops to confirm addresses, for the hours that have more of them than it may. */
async function readCutoffs(scope: EmailScope, perHour: number): Promise<Cutoff[]> {
  const given = await countGiven(scope);
  const left = await readLeft(
    scope.question,
    perHour,
    given.map(({ hourAt }) => hourAt),
  );
  const cutoffs: Cutoff[] = [];
  for (const { hourAt, users } of given) {
    if (users <= left(hourAt)) continue;
    const last = left(hourAt) === 0 ? null : await readLastConfirmed(scope, hourAt, left(hourAt));
    cutoffs.push({ hourAt, last });
  }
  return cutoffs;
}

/** Whether the next sweep would confirm the address of a user, which a publishable key gave at an instant. It goes by lane and key. */
export async function wouldConfirm(
  question: CensusQuestion,
  allocation: CampaignAllocation,
  { lane, userKey }: UserRef,
  given: { at: number; perHour: number },
): Promise<boolean> {
  const hourAt = hourOf(given.at);
  const left = (await readLeft(question, given.perHour, [hourAt]))(hourAt);
  if (left === 0) return false;
  const scope = { question, allocation, odd: null };
  const last = await readLastConfirmed({ ...scope, odd: await readOdd(scope, hourAt) }, hourAt, left);
  if (last === null) return true;
  return lane < last.lane || (lane === last.lane && userKey <= last.userKey);
}

/** How many users would get an email campaign if it ran now. */
export const emailCensus: Census<ReasonOf<typeof emailGates>> = async (question) => {
  const { app, db, projectId, campaign, now } = question;
  const allocation = await readAllocation(db, projectId, campaign.id);
  if (allocation === null) throw new Error("An email campaign that is not there.");
  const settings = await readSettings(db, app.secrets, projectId, settingsOf(emailGates));
  const cap = { capMax: settings["email.capMax"], since: now - settings["email.capHours"] * HOUR_MS };
  const perHour = settings["identity.newAddressesPerHour"];
  let scope: EmailScope = { question, allocation, odd: null };
  let cutoffs: Cutoff[] = [];
  let rows = await countEmailBuckets(scope, question, cap, cutoffs);
  // Most audiences are counted at once: their addresses are plain, and confirmed.
  if (rows.some(({ given, unjudged }) => given > 0 || unjudged > 0)) {
    scope = { ...scope, odd: await readOdd(scope, null) };
    cutoffs = await readCutoffs(scope, perHour);
    rows = await countEmailBuckets(scope, question, cap, cutoffs);
  }
  const buckets = new Map<Bucket, number>(rows.map(({ bucket, users }) => [bucket, users]));
  const capped = rows.reduce((sum, row) => sum + row.capped, 0);
  buckets.set("capped", capped);
  buckets.set("will_receive", (buckets.get("will_receive") ?? 0) - capped);
  // Those over the cap are among them: which users of one address are over it, shows only when their mail is due.
  const reached = rows.find(({ bucket }) => bucket === "will_receive");
  const missing = missingFields(question.gaps, readGapCounts(reached?.gaps ?? []));
  const counts = countsOf(buckets, reasonsOf(emailGates));
  const later = await laterCounter(question, "email", allocation);
  later?.add(await countEmailReaders(scope, cutoffs, later.pressing));
  return {
    ...counts,
    later: later?.counts() ?? counts.later,
    missing,
    overCap: settings["email.overCap"],
  };
};
