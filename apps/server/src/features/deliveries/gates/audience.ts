import { z } from "zod";
import type { Unreadable } from "../../audience/language/parse/stored.pure.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import { type Trace, TraceNode } from "../../audience/segments/schema.ts";
import { HAS_DELIVERY } from "./delivery.ts";
import { gate } from "./gate.ts";
import { NO_SUCH_USER } from "./user.ts";
import { listed, quoted, shortened } from "./words.pure.ts";

/** `matches`: whether the user is in the audience, found out where it is called. */
type Facts = { matches(): boolean };

/** The audience of a campaign at one instant. */
export type AudienceFinding = {
  /** As it is stored. */
  stored: StoredAudience | Unreadable;
  /** Null where the channel reaches known users alone, and there is no such user. */
  matched: boolean | null;
  /** Null where there are no conditions to answer. */
  trace: Trace | null;
  /** The conditions that keep the user out, each with what the user has instead. */
  unmet: readonly string[];
};

type Found = Facts & {
  audience: AudienceFinding;
  campaign: { segmentName: string | null };
  delivery: object | null;
};

const SENTENCE_LENGTH = 300;

/** Whether the user matches, and on what it lies. */
function sentence({ audience: { stored, matched, unmet }, campaign: { segmentName } }: Found): string {
  if (matched === null) return NO_SUCH_USER;
  if (stored.kind === "all") return "The campaign is for all users.";
  if (stored.kind === "invalid")
    return "The audience cannot be read, so it is for no user: choose another one.";
  const segment =
    stored.kind === "segment" && segmentName !== null
      ? `the segment ${quoted(segmentName)} (version ${stored.segmentVersion})`
      : null;
  if (unmet.length === 0)
    return segment === null ? "The user meets the conditions." : `The user is in ${segment}.`;
  const verdict =
    segment === null ? "The user does not meet the conditions" : `The user is not in ${segment}`;
  return `${verdict}. Not met: ${shortened(listed(unmet), SENTENCE_LENGTH)}.`;
}

/** Whether the user matches the campaign's audience, node by node. With a delivery the audience is not asked any more. */
export const audienceGate = gate({
  gate: "audience",
  asks: "does the user match? With the trace of [audiences/explain](audiences.md#ask-before-you-send). Not asked where there is a delivery",
  stages: ["plan"],
  shape: {
    matched: z.boolean().nullable().describe("Whether the user matches at this instant."),
    trace: TraceNode.nullable().describe(
      "The answer of every node, as in `POST /api/v1/audiences/explain`; null where the campaign is for everyone.",
    ),
  },
  passes: (facts: Facts) => facts.matches(),
  skipped(found: Found) {
    if (found.delivery !== null) return `${HAS_DELIVERY} ${sentence(found)}`;
    return found.audience.matched === null ? NO_SUCH_USER : null;
  },
  note: sentence,
  details: ({ audience: { matched, trace } }: Found) => ({ matched, trace }),
});
