import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import type { Pass } from "../../campaigns/authoring/public.ts";
import type { VisitorsMet } from "../../campaigns/authoring/rules.ts";
import type { CensusVariant, Gaps, MissingField } from "./gaps.pure.ts";

/** Whom a campaign would reach. `db` reads at one instant, `now` is epoch milliseconds. */
export type CensusQuestion = {
  app: App;
  db: Db;
  projectId: string;
  now: number;
  /** `pass`: how far it has come with its audience. `journeyId`: the journey of whose step it is the message. */
  campaign: { id: string; audience: unknown; visitors: VisitorsMet; pass: Pass; journeyId: string | null };
};

/** What a census counts with: the variants, of which users draw one, and the fields of their messages whose gaps it counts. */
export type CensusMessages = { variants: readonly CensusVariant[]; gaps: Gaps };

/** What a census counts a user as: the first that is true of the user, in the order of delivery; else a reason of the channel's gates. */
export type Bucket = string;

const REACHED: readonly Bucket[] = ["delivered", "held_out", "capped", "will_receive"];

/** Users who would get a message later: because of its hour, of quiet hours, or of what else they got. */
export type Later = { localHour: number; quiet: number; pressure: number };
export const NO_LATER: Later = { localHour: 0, quiet: 0, pressure: 0 };

/**
 * How many users of the audience are in each bucket (of a campaign for visitors alone: how many visitors), each user in exactly one:
 * `matched` = `heldOut` + `alreadyDelivered` + all of `unreachable` + `capped` + `willReceive`.
 */
export type CensusCounts<Reason extends string = string> = {
  matched: number;
  heldOut: number;
  alreadyDelivered: number;
  /** All reasons of the channel, in the order of delivery. */
  unreachable: { reason: Reason; users: number }[];
  capped: number;
  willReceive: number;
  /** Of `capped` and `willReceive`: those who would get it later, by the first reason. */
  later: Later;
  /** What becomes of those who are `capped`; null on channels that have no cap. */
  overCap: "skip" | "postpone" | null;
};

/**
 * Counts users by bucket, and who has nothing to show at a personal field: of those who can be reached, and of those whom nothing keeps
 * from a message but that. Each channel has one.
 */
export type Census<Reason extends string> = (
  question: CensusQuestion & CensusMessages,
) => Promise<CensusCounts<Reason> & { missing: MissingField[] }>;

/** The counts of a channel whose users are unreachable for these reasons. */
export function countsOf<Reason extends string>(
  buckets: ReadonlyMap<Bucket, number>,
  reasons: readonly Reason[],
): CensusCounts<Reason> {
  const usersIn = (bucket: Bucket): number => buckets.get(bucket) ?? 0;
  const known: readonly Bucket[] = [...REACHED, ...reasons];
  const strange = [...buckets.keys()].find((bucket) => !known.includes(bucket));
  if (strange !== undefined) throw new Error(`A census with the bucket ${strange}.`);
  return {
    matched: [...buckets.values()].reduce((sum, users) => sum + users, 0),
    heldOut: usersIn("held_out"),
    alreadyDelivered: usersIn("delivered"),
    unreachable: reasons.map((reason) => ({ reason, users: usersIn(reason) })),
    capped: usersIn("capped"),
    willReceive: usersIn("will_receive"),
    later: NO_LATER,
    overCap: null,
  };
}

/** Users of one bucket. */
export type BucketRow = { bucket: Bucket; users: number };

/** Adds users to their buckets. */
export function tally(buckets: Map<Bucket, number>, rows: readonly BucketRow[]): Map<Bucket, number> {
  for (const { bucket, users } of rows) buckets.set(bucket, (buckets.get(bucket) ?? 0) + users);
  return buckets;
}
