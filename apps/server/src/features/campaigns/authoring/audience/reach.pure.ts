import canonicalize from "canonicalize";
import { type CampaignStatus, type DeliveryWindow, placeInWindow, type VisitorsMet } from "../rules.ts";

/** What decides who gets a campaign, and what they read. */
export type CampaignReach = DeliveryWindow & {
  status: CampaignStatus;
  /** Whether it is sent once; else it goes on to users who match later. */
  once: boolean;
  audience: unknown;
  visitors: VisitorsMet;
  pages: unknown;
  goalId: string | null;
  topicId: string | null;
  push: unknown;
  variants: readonly { id: string; weight: number; isControl: boolean; content: unknown }[];
  /** The revision of the changes that it announces. */
  declared: string;
};

/** Whether a campaign delivers, or will once its window opens. */
const isGoing = ({ status, ...window }: CampaignReach, now: number): boolean =>
  status === "running" && placeInWindow(window, now) !== "over";

/** The users whom a campaign goes to and what they read, as canonical JSON. */
const contentOf = ({
  audience,
  visitors,
  pages,
  goalId,
  topicId,
  push,
  variants,
}: CampaignReach): string | undefined =>
  canonicalize({
    audience,
    visitors,
    pages,
    goalId,
    topicId,
    push,
    variants: variants.map(({ id, weight, isControl, content }) => ({ id, weight, isControl, content })),
  });

const END_OF_TIME = Number.POSITIVE_INFINITY;

type Duration = DeliveryWindow & Pick<CampaignReach, "once">;

/** Whether a campaign goes on for longer than it did, from now on. A narrower window is a pause or an end that comes by itself. */
function isWider(before: Duration, after: Duration, now: number): boolean {
  const begins = ({ deliverFrom }: DeliveryWindow): number => Math.max(deliverFrom ?? now, now);
  const until = ({ deliverUntil }: DeliveryWindow): number => deliverUntil ?? END_OF_TIME;
  return begins(after) < begins(before) || until(after) > until(before) || (before.once && !after.once);
}

/**
 * How a change of a campaign reaches users at once, or would by itself; null where it waits for a launch. Names and the
 * run of an agent reach no user; nor does a window that becomes narrower, or that a campaign is sent once from now on. `isAllowed`: it may launch by itself however it is changed.
 */
export function classifyReach(
  before: CampaignReach,
  after: CampaignReach,
  { now, isAllowed }: { now: number; isAllowed: boolean },
): "change" | "resume" | "allowed" | null {
  const isOther = contentOf(before) !== contentOf(after);
  if (isGoing(after, now)) {
    if (!isGoing(before, now)) return "resume";
    return isOther || isWider(before, after, now) ? "change" : null;
  }
  if (!isAllowed || after.status !== "draft") return null;
  return isOther || before.declared !== after.declared || isWider(before, after, now) ? "allowed" : null;
}
