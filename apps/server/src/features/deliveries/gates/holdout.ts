import { z } from "zod";
import { answerIds } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import type { CurrentEpoch } from "../../campaigns/authoring/public.ts";
import { isPointBelow } from "../census/audience-store.ts";
import { pointOf } from "../results/point.ts";
import { HAS_DELIVERY } from "./delivery.ts";
import { gate } from "./gate.ts";
import { quoted } from "./words.pure.ts";

type Holdout = Pick<CurrentEpoch, "goalId" | "holdoutPercent">;
/** `drawKey`: as `drawKeyOf` has it. */
type Facts = { current: Holdout; drawKey: string };
type Named = { campaign: { goalName: string | null } };
type Found = Facts & Named & { delivery: object | null; withheldAt: number | null };

/** Whether a user gets no message of a goal's campaigns. It depends on goal and user alone, so it is the same for all of them. */
export const isHeldOut = ({ goalId, holdoutPercent }: Holdout, drawKey: string): boolean =>
  goalId !== null && holdoutPercent > 0 && pointOf(goalId, drawKey) < holdoutPercent / 100;

/** The goal of a campaign, at the beginning of a sentence. */
export const goalIn = ({ goalName }: Named["campaign"]): string =>
  goalName === null ? "The goal" : `The goal ${quoted(goalName)}`;

/** Whether the goal gives the user messages. With a delivery, or a withheld one, that is decided already. */
export const holdoutGate = gate({
  gate: "holdout",
  asks: "does the goal hold the user out? A draft is asked as if it were launched now",
  stages: ["plan"],
  bucket: "held_out",
  withholds: true,
  shape: {
    goalId: answerIds.goal.nullable(),
    holdoutPercent: z.int().min(0).max(100).describe("How many per cent of the users the goal holds out."),
  },
  passes: ({ current, drawKey }: Facts) => !isHeldOut(current, drawKey),
  sql: ({ current: { goalId, holdoutPercent } }: { current: Holdout }) =>
    goalId === null || holdoutPercent === 0
      ? []
      : [{ when: isPointBelow(goalId, holdoutPercent / 100), bucket: "held_out" }],
  skipped({ delivery, withheldAt }: Found) {
    if (delivery !== null) return HAS_DELIVERY;
    return withheldAt === null ? null : "The user was held out already.";
  },
  note({ current, drawKey, campaign }: Found) {
    const { goalId, holdoutPercent } = current;
    const goal = goalIn(campaign);
    if (goalId === null) return "The campaign has no goal that could hold users out.";
    if (holdoutPercent === 0) return `${goal} holds no user out.`;
    const which = isHeldOut(current, drawKey) ? "this is one of them" : "not this one";
    return `${goal} holds out ${holdoutPercent} % of users, and ${which}.`;
  },
  details: ({ current: { goalId, holdoutPercent } }: Found) => ({
    goalId: goalId === null ? null : apiId("goal", goalId),
    holdoutPercent,
  }),
});
