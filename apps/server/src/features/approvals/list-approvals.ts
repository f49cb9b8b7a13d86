import { z } from "zod";
import { apiId } from "../../domain/ids.ts";
import { type Ctx, endpoint } from "../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../platform/http/contract/page.ts";
import { listProposals, type ProposalRow, viewProposal } from "../agent/evaluations/public.ts";
import { launchSettings } from "../campaigns/authoring/status/settings.pure.ts";
import { readStep } from "../launch/public.ts";
import { LastChange, readLastChange, readSome } from "../settings/public.ts";
import { NamedProposal, WaitingCampaign } from "./schema.ts";
import { listNames, listWaitingDrafts } from "./store.ts";

/** As many as a person decides in a day. */
const MOST = 100;

async function named(ctx: Ctx, rows: readonly ProposalRow[]): Promise<z.input<typeof NamedProposal>[]> {
  const names = await listNames(
    ctx.db,
    ctx.projectId,
    rows.map(({ campaignId }) => campaignId),
  );
  const proposals: z.input<typeof NamedProposal>[] = [];
  for (const row of rows)
    proposals.push({
      campaignName: names.get(row.campaignId) ?? "",
      proposal: await viewProposal(ctx, row),
    });
  return proposals;
}

export const listApprovals = endpoint(
  {
    id: "listApprovals",
    method: "GET",
    path: "/api/people/approvals",
    tag: "Agent",
    summary: "List what waits for a decision of people, and what was decided",
    keys: [],
    people: "viewer",
    oneInstant: true,
    cost: "heavy",
    query: z.object(pageQuery(25)),
    result: z.object({
      waiting: z.array(NamedProposal).max(MOST).describe("Proposals that wait, the newest 100."),
      campaigns: z
        .array(WaitingCampaign)
        .max(MOST)
        .describe(
          "Drafts that announce changes of code, the newest 100, those that may launch by themselves included.",
        ),
      launchesPaused: z.boolean().describe("Whether no campaign of the project launches by itself."),
      launchesPausedBy: LastChange.nullable().describe(
        "Who paused that, while it is; null where it is not, or that is not known.",
      ),
      decided: z
        .array(NamedProposal)
        .max(100)
        .describe("Proposals that were decided or waited too long, newest first."),
      ...pageFields,
    }),
  },
  async (ctx, { query }) => {
    const { db, projectId, now } = ctx;
    const find = (status: "pending" | "decided", window: { offset: number; limit: number }) =>
      listProposals(db, projectId, { campaignId: undefined, status, now }, window);
    const pending = await find("pending", { offset: 0, limit: MOST });
    const decided = await find("decided", pageWindow(query));
    const campaigns: z.input<typeof WaitingCampaign>[] = [];
    for (const { id, ...draft } of await listWaitingDrafts(db, projectId, MOST)) {
      const read = await readStep(ctx, id);
      if (read !== null) campaigns.push({ ...draft, ...read, campaignId: apiId("cmp", id) });
    }
    const { "launch.paused": launchesPaused } = await readSome(db, projectId, launchSettings, [
      "launch.paused",
    ]);
    return {
      waiting: await named(ctx, pending.rows),
      campaigns,
      launchesPaused,
      launchesPausedBy: launchesPaused ? await readLastChange(db, projectId, "launch.paused") : null,
      decided: await named(ctx, decided.rows),
      ...pageAnswer(query, decided.total),
    };
  },
);
