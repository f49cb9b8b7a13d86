import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { announce } from "../../../webhooks/public.ts";
import type { CampaignStatus, StatusAction } from "../rules.ts";

const ANNOUNCED = {
  launch: "campaign.launched",
  pause: "campaign.paused",
  end: "campaign.ended",
} as const satisfies Record<StatusAction, string>;

/** Announces to webhooks that a campaign (UUID) has another status, and by what kind of author. Needs the transaction of that. */
export async function announceStatus(
  { db, projectId, now }: Pick<Ctx, "db" | "projectId" | "now">,
  campaignId: string,
  action: StatusAction,
  { status, by }: { status: CampaignStatus; by: string | null },
): Promise<void> {
  const announced = { type: ANNOUNCED[action], object: campaignId, campaignId, at: now };
  await announce(db, projectId, { ...announced, data: { status, by } });
}
