import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { raiseConfigVersion } from "../../../access/public.ts";
import { openEpochs } from "../audience/epoch-store.ts";
import { ACTION_FROM, applyAction, type CampaignStatus, type StatusAction } from "../rules.ts";
import { type CampaignRow, isJourneyRunning, moveCampaign } from "../store.ts";
import { announceStatus } from "./announce.ts";
import { assertMayLaunch, type Launch, type Launching, recordLaunch } from "./launch-gates.ts";
import { type Ending, endAt, type Pausing, pauseAt } from "./pause.pure.ts";

type Where = Pick<Launching, "db" | "projectId" | "now">;
/** The author of a change of the status; null where it is not known. */
type Author = (Pausing & Ending) | null;
type Step = { action: StatusAction; next: CampaignStatus; pausing?: Pausing | null; ending?: Ending | null };

/** Moves a campaign, with its epoch and the version of the configuration; answers whether its status allowed it. */
async function move(
  { db, projectId, now }: Where,
  campaignId: string,
  { action, next, pausing = null, ending = null }: Step,
): Promise<boolean> {
  const moved = await moveCampaign(db, projectId, campaignId, {
    from: ACTION_FROM[action],
    next,
    now,
    pause: next === "paused" && pausing !== null ? pauseAt(pausing, now) : null,
    ending: next === "ended" && ending !== null ? endAt(ending, now) : null,
  });
  if (!moved) return false;
  await openEpochs(db, projectId, { campaignId }, now);
  await raiseConfigVersion(db, projectId);
  const { by = null } = pausing ?? ending ?? {};
  await announceStatus({ db, projectId, now }, campaignId, action, { status: next, by });
  return true;
}

/** Pauses a campaign (UUID) if it runs; answers whether it did. Needs the transaction that locked it. */
export const pauseRunning = (where: Where, campaignId: string, pausing: Pausing): Promise<boolean> =>
  move(where, campaignId, { action: "pause", next: "paused", pausing });

/** Ends a campaign (UUID) that is sent once and has nothing more to do. Needs the transaction that locked it. */
export const endByItself = (where: Where, campaignId: string): Promise<boolean> =>
  move(where, campaignId, { action: "end", next: "ended", ending: { by: "itself" } });

/**
 * Refuses what a journey does with the messages of its steps. One of them may be paused by itself, and go on while the journey runs.
 * @throws ApiError conflict `managed_by_journey`
 */
async function assertNotManaged(
  { db, projectId }: Launching,
  { journeyId, status }: CampaignRow,
  action: StatusAction,
): Promise<void> {
  if (journeyId === null || action === "pause") return;
  const goesOn = action === "launch" && status === "paused";
  if (goesOn && (await isJourneyRunning(db, projectId, journeyId))) return;
  throw new ApiError("conflict", "This is the message of a step: launch or end its journey.", {
    fields: { reason: "managed_by_journey" },
  });
}

/**
 * Launches, pauses or ends a campaign, with its epoch and the version of the configuration; answers its new status. Needs the
 * transaction that locked the campaign. `launch` says how it is launched, `author` by whom it is paused or ended. @throws ApiError conflict where its
 * status or a launch gate refuses, forbidden where a person may not launch
 */
export async function changeStatus(
  ctx: Launching,
  campaign: CampaignRow,
  action: StatusAction,
  launch: Launch,
  author: Author = null,
  from: "campaign" | "journey" = "campaign",
): Promise<CampaignStatus> {
  if (from === "campaign") await assertNotManaged(ctx, campaign, action);
  const step = applyAction(action, campaign.status, campaign, ctx.now);
  if ("refusal" in step) throw new ApiError("conflict", step.refusal);
  if (action === "launch") {
    await assertMayLaunch(ctx, campaign, launch);
    await ctx.app.ask(recordLaunch)(ctx, campaign, launch);
  }
  if (!(await move(ctx, campaign.id, { action, next: step.next, pausing: author, ending: author })))
    throw new ApiError("conflict");
  return step.next;
}
