import { apiId } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { announce } from "../../../webhooks/public.ts";
import type { ProposalRow } from "./proposal-store.ts";

/** Announces to webhooks that a proposal was made or decided. Needs the transaction of that. */
export async function announceProposal(
  { db, projectId, now: at }: Pick<Ctx, "db" | "projectId" | "now">,
  type: "proposal.created" | "proposal.decided",
  { id, campaignId, status, expiresAt, reason, mutation }: ProposalRow,
): Promise<void> {
  const data = { proposalId: apiId("prop", id), status, expiresAt, reason, mutation };
  await announce(db, projectId, { type, object: id, campaignId, at, data });
}
