import { z } from "zod";
import { answerIds, eventName, storedUserId } from "../../../../domain/fields.ts";
import { userRef, uuidFor } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { findCampaign } from "../../../campaigns/authoring/public.ts";
import { findNamedUser } from "../../../users/profiles/public.ts";
import { requireJourney } from "../../authoring/public.ts";
import { type Definition, journeyInPath } from "../../authoring/schema.ts";
import { MAX_STEPS } from "../../authoring/steps.pure.ts";
import { readDefinition } from "../../authoring/stored.pure.ts";
import { DEEDS } from "../../authoring/walk.pure.ts";
import { barredBy, readAdmitted } from "../entering/entering.ts";
import { type Entry, findLastEntry, isKnown } from "../entry-store.ts";
import { LeftBy } from "../left-by.pure.ts";
import { entryArm } from "../results/schema.ts";
import { type Known, readKnown } from "../walking/known.ts";
import { readSent } from "../walking/message-store.ts";
import { readDeeds } from "./list-store.ts";

/** The most deeds of a user that an answer has. */
const MOST_DEEDS = 100;

const WAITS_FOR = ["paused", "time", "date", "message", "campaign_paused", "turn"] as const;
type WaitsFor = (typeof WAITS_FOR)[number];

const Explanation = z.object({
  userId: answerIds.externalUser,
  evaluatedAt: epochMs,
  mayEnter: z.boolean().describe("Whether they would be let in now."),
  barredBy: z
    .enum(["not_running", "inside", "again", "audience", "no_user"])
    .nullable()
    .describe(
      "Why not: the journey does not run (`not_running`), they are `inside`, may not enter `again` (yet), are not in the `audience`, or there is `no_user` of this id.",
    ),
  againAt: epochMs
    .nullable()
    .describe("From when on they may enter again; null where they may now, or never."),
  inside: z
    .object({
      occasion: z.int().min(0).describe("Which time it is that they entered, from 0 on."),
      stepId: z.string().max(32).describe("The step where they are."),
      enteredAt: epochMs,
      arrivedAt: epochMs.describe("Since when they are there."),
      waitsFor: z
        .enum(WAITS_FOR)
        .describe(
          "Why they are still there: the journey is `paused`, it is a matter of `time`, they have no `date` yet, their `message` has not left, its campaign is paused (`campaign_paused`), or it is their `turn` now.",
        ),
      until: epochMs.nullable().describe("When the wait is over; null where it is none, or has no end yet."),
      orEvent: eventName.nullable().describe("The event by which they go on sooner."),
    })
    .nullable()
    .describe("Where they are; null where they are not inside."),
  left: z
    .object({
      occasion: z.int().min(0).describe("Which time it was that they had entered."),
      stepId: z.string().max(32).describe("The step from which they left."),
      by: LeftBy,
      at: epochMs,
    })
    .nullable()
    .describe("How they left the last time; null where they are inside, or never were."),
  arm: entryArm,
  conditions: z
    .array(
      z.object({
        stepId: z.string().max(32).describe("Id of the step."),
        met: z.boolean().describe("Whether they would go on to the next step, if they were there now."),
      }),
    )
    .max(MAX_STEPS)
    .describe("What each `if` of the journey says of them now."),
  passed: z
    .array(
      z.object({
        occasion: z.int().min(0).describe("Which time it was that they had entered."),
        stepId: z.string().max(32).describe("Id of the step."),
        did: z.enum(DEEDS).describe("What became of them there, as in the results of the journey."),
        reason: z.string().max(500).nullable().describe("Why they were skipped."),
        version: z.int().min(1).describe("The version of the journey by then."),
        at: epochMs,
      }),
    )
    .max(MOST_DEEDS)
    .describe("The steps that they have left, the last one first."),
});

/** Why a user is still where they are, and until when. */
async function waitOf(
  db: Db,
  entry: Entry,
  { steps }: Definition,
  known: Known,
  now: number,
): Promise<{ waitsFor: WaitsFor; until: number | null; orEvent: string | null }> {
  const step = steps.find(({ id }) => id === entry.stepId);
  const none = { until: null, orEvent: null };
  if (step?.kind === "wait") {
    const { at } = known.waitEnd(step, entry.arrivedAt);
    const waitsFor = at === null ? "date" : at > now ? "time" : "turn";
    return { waitsFor, until: at, orEvent: step.orEvent?.event ?? null };
  }
  if (step?.kind !== "send") return { waitsFor: "turn", ...none };
  const campaignId = uuidFor("cmp", step.campaignId);
  // A user who is held out is so each time that they enter: before the message of this time is made, that is of a time before.
  const [sent] = entry.isActed ? await readSent(db, entry.projectId, [{ ...entry, campaignId }]) : [];
  if (sent !== undefined && (sent.state !== null || sent.isWithheld)) return { waitsFor: "message", ...none };
  const campaign = await findCampaign(db, entry.projectId, campaignId);
  return { waitsFor: campaign?.status === "running" ? "turn" : "campaign_paused", ...none };
}

/** How a user left who was inside the last time. */
function leftOf(last: Entry | null): z.infer<typeof Explanation>["left"] {
  if (last === null || last.leftAt === null || last.leftBy === null) return null;
  return { occasion: last.occasion, stepId: last.stepId, by: last.leftBy, at: last.leftAt };
}

export const explainJourney = endpoint(
  {
    id: "explainJourney",
    method: "POST",
    path: "/api/v1/journeys/{id}/explain",
    tag: "Journeys",
    summary: "Say where one user is in a journey, why, and how they came there",
    description: "By the rules that move users. It changes nothing.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "It names a user and what they went through; the results count them.",
    oneInstant: true,
    cost: "heavy",
    isRead: true,
    params: z.object({ id: journeyInPath }),
    body: z.object({ userId: storedUserId.describe("`eu_…`, or the id in your product.") }),
    example: { userId: "ada" },
    result: Explanation,
    errors: ["not_found"],
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    const journey = await requireJourney(ctx, params.id);
    const definition = readDefinition(journey.definition);
    const user = await findNamedUser(ctx, body.userId);
    const externalId = user?.externalId ?? body.userId;
    const ref = user ?? userRef(projectId, externalId);
    const { userKey } = ref;
    const known = await isKnown(db, projectId, [ref]);
    const last = await findLastEntry(db, projectId, journey.id, ref);
    const passed = await readDeeds(db, projectId, journey.id, ref, MOST_DEEDS);
    const answer = { userId: externalId, evaluatedAt: now, passed };
    if (definition === null || !known.has(userKey))
      return {
        ...answer,
        mayEnter: false,
        barredBy: "no_user" as const,
        againAt: null,
        inside: null,
        left: leftOf(last),
        arm: null,
        conditions: [],
      };
    const admitted = await readAdmitted(db, projectId, definition, [ref], now);
    const bar =
      barredBy(definition, last ?? undefined, now) ??
      (admitted.has(userKey)
        ? journey.status === "running"
          ? null
          : ("not_running" as const)
        : ("audience" as const));
    const { again, steps } = definition;
    const isBack = bar === "again" && again !== null && last !== null;
    const facts = (await readKnown(db, projectId, definition, [ref], now))(ref);
    const isInside = last !== null && last.leftAt === null;
    const waiting = isInside ? await waitOf(db, last, definition, facts, now) : null;
    const isPaused = journey.status !== "running" && waiting !== null;
    return {
      ...answer,
      mayEnter: bar === null,
      barredBy: bar,
      againAt: isBack ? last.enteredAt + again.afterDays * DAY_MS : null,
      inside:
        isInside && waiting !== null
          ? {
              occasion: last.occasion,
              stepId: last.stepId,
              enteredAt: last.enteredAt,
              arrivedAt: last.arrivedAt,
              ...waiting,
              ...(isPaused ? { waitsFor: "paused" as const } : {}),
            }
          : null,
      left: leftOf(last),
      arm: last?.arm ?? null,
      conditions: steps.flatMap((step) =>
        step.kind === "if" ? [{ stepId: step.id, met: facts.meets(step) }] : [],
      ),
    };
  },
);
