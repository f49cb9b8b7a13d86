import { z } from "zod";
import { uuidFor } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { text } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { AgentProposal, ProposalStatus } from "../schema.ts";
import { listProposals as selectProposals } from "./proposal-store.ts";
import { viewProposal } from "./view.ts";

export const listProposals = endpoint(
  {
    id: "listProposals",
    method: "GET",
    path: "/api/v1/agent/proposals",
    tag: "Agent",
    summary: "List what agents have proposed, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "agent",
    tool: "Proposals come from the loop of an agent, and people decide them.",
    oneInstant: true,
    query: z.object({
      campaignId: text(128, 0).optional().describe("The campaign that it is about."),
      status: ProposalStatus.optional().describe("Only proposals in this state."),
      ...pageQuery(),
    }),
    result: z.object({
      proposals: z.array(AgentProposal).max(100).describe("The proposals, newest first."),
      ...pageFields,
    }),
  },
  async (ctx, { query }) => {
    const { db, projectId, now } = ctx;
    const { campaignId, status } = query;
    const filter = {
      campaignId: campaignId === undefined ? undefined : uuidFor("cmp", campaignId),
      status,
      now,
    };
    const { rows, total } = await selectProposals(db, projectId, filter, pageWindow(query));
    const proposals: AgentProposal[] = [];
    for (const row of rows) proposals.push(await viewProposal(ctx, row));
    return { proposals, ...pageAnswer(query, total) };
  },
);
