import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import type { Person, PersonRole } from "../../../../platform/http/contract/person.ts";
import { type Port, port } from "../../../../platform/runtime.ts";
import { readStored, UNREADABLE_AUDIENCE } from "../../../audience/language/parse/stored.pure.ts";
import { assertMayReachUsers, roleOf } from "../../../people/public.ts";
import { readSome } from "../../../settings/public.ts";
import { violationFields } from "../../goals/public.ts";
import { findTopic } from "../../topics/public.ts";
import { topicSettings } from "../../topics/settings.pure.ts";
import type { Blocker } from "../schema.ts";
import { assertLaunchAllowed, type Guarded } from "./guardrails.ts";

/** What launching needs of a request, so that loops and commands can launch as well. */
export type Launching = Pick<Ctx, "app" | "db" | "projectId" | "now">;

/** Why a channel could not send a campaign now: a word for programs, and a sentence that says what to do. */
export type LaunchRefusal = { reason: "channel_not_ready"; message: string };

/**
 * Answers why a campaign may not launch now, or null. `id` is its UUID. Called in the transaction of the launch, with the campaign
 * locked or just inserted.
 */
export type LaunchGate = (
  ctx: Launching,
  campaign: Pick<Guarded, "id" | "channel" | "purpose">,
) => Promise<LaunchRefusal | null>;

/** Channels that may refuse a launch plug in their gates, which are called in the order of features.ts. */
export const launchGates: Port<LaunchGate> = port("launch gates");

/** Answers which changes that a campaign (UUID) declares are not live, and where; none where all are. */
export const coverageGate: Port<(ctx: Launching, campaignId: string) => Promise<readonly Blocker[]>> =
  port("coverage gate");

/**
 * How a campaign is launched: by a request, or by itself once everything is live. With an override a person launches it although
 * changes that it declares are not live everywhere. `role`: what the person may do who launches it in the dashboard; null where no such
 * person does.
 */
export type Launch = {
  mode: "automatic" | "manual";
  override: { by: string; reason: string } | null;
  role: PersonRole | null;
};

/** A launch by a request to the API, of a program or a person. */
export const byRequest = (caller: Pick<Ctx, "keyKind"> & { person?: Person | null }): Launch => ({
  mode: "manual",
  override: null,
  role: roleOf(caller),
});

/** A campaign (UUID) that is launched; `startedAt` is null where it never was before. */
export type Launched = Pick<Guarded, "id" | "goalId"> & { startedAt: number | null };

/** Called in the transaction of a launch, once nothing refuses it. */
export const recordLaunch: Port<(ctx: Launching, campaign: Launched, launch: Launch) => Promise<void>> =
  port("record launch");

/** The most blockers that a refusal lists. */
const MOST_BLOCKERS = 1_000;

/** The reasons of refusals of a launch, and their further fields, for the document. */
export const LAUNCH_REASONS = [
  "audience_unreadable",
  "topic_missing",
  "topic_archived",
  "channel_not_ready",
  "guardrail_violated",
  "coverage_missing",
] as const;
/** The reasons of refusals where the status of a campaign is changed by itself. */
export const STATUS_REASONS = [...LAUNCH_REASONS, "managed_by_journey"] as const;
export const launchRefusalFields = {
  ...violationFields,
  blockers: {
    type: "array",
    maxItems: MOST_BLOCKERS,
    items: { $ref: "#/components/schemas/Blocker" },
    description: "With `coverage_missing`: what is not live, and where.",
  },
} as const;

/** A campaign that is to be launched, with its audience as it is stored. */
type Aimed = Guarded & { audience: unknown };

/**
 * Refuses a launch of a campaign whose topic is archived, and of one without a topic where the project wants each to have one. Locks the topic, so
 * that it is not archived meanwhile.
 */
async function assertTopic(
  { db, projectId }: Launching,
  { channel, purpose, topicId }: Aimed,
  lock: "lock" | "read",
): Promise<void> {
  if (channel === "web_inapp" || purpose === "transactional") return;
  if (topicId === null) {
    const { "topics.required": isRequired } = await readSome(db, projectId, topicSettings, [
      "topics.required",
    ]);
    if (!isRequired) return;
    throw new ApiError(
      "conflict",
      "This campaign has no topic, and the project wants one (topics.required): set topicId.",
      {
        fields: { reason: "topic_missing" },
      },
    );
  }
  const topic = await findTopic(db, projectId, ["id", topicId], lock);
  if (topic?.status !== "active")
    throw new ApiError("conflict", "The topic of this campaign is archived: choose another one.", {
      fields: { reason: "topic_archived" },
    });
}

/**
 * Refuses a launch for which the audience, the topic, the guardrails of the goal or the channel are not ready. Needs the transaction of the launch.
 * @param lock "read" looks only, where nothing is launched
 * @throws ApiError `conflict` with the reason and message of the first that refuses
 */
export async function assertReady(
  ctx: Launching,
  campaign: Aimed,
  lock: "lock" | "read" = "lock",
): Promise<void> {
  if (readStored(campaign.audience).kind === "invalid")
    throw new ApiError("conflict", UNREADABLE_AUDIENCE, { fields: { reason: "audience_unreadable" } });
  await assertTopic(ctx, campaign, lock);
  await assertLaunchAllowed(ctx, campaign, lock);
  for (const gate of ctx.app.askAll(launchGates)) {
    const refusal = await gate(ctx, campaign);
    if (refusal !== null)
      throw new ApiError("conflict", refusal.message, { fields: { reason: refusal.reason } });
  }
}

/**
 * The one door of every launch: who may launch, whether the audience can be read, the guardrails of the goal, the channel, then whether the changes that the campaign declares are live.
 * Needs the transaction of the launch. @throws ApiError `conflict`, or `forbidden` for a person whose role is too low, with the reason and
 * message of the first that refuses
 */
export async function assertMayLaunch(ctx: Launching, campaign: Aimed, launch: Launch): Promise<void> {
  await assertMayReachUsers(ctx, launch.role, "launch");
  await assertReady(ctx, campaign);
  if (launch.override !== null) return;
  const blockers = await ctx.app.ask(coverageGate)(ctx, campaign.id);
  if (blockers.length === 0) return;
  throw new ApiError(
    "conflict",
    "This campaign announces changes that are not live everywhere yet: see blockers, and GET its activation.",
    { fields: { reason: "coverage_missing", blockers: blockers.slice(0, MOST_BLOCKERS) } },
  );
}
