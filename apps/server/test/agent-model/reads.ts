import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { apiId, uuidFor } from "../../src/domain/ids.ts";
import { ask, type Stage } from "./steps.ts";

export async function compareDue({ project, model }: Stage): Promise<void> {
  const due = await ask(project, "agent", ["GET", "/evaluations/due"]);
  assert.deepEqual(due, { status: 200, body: model.due() });
}

/** What is stored of campaigns and leases: one statement, after every step. */
export async function glance({ house, project, model }: Stage): Promise<void> {
  const rows = await house.database.kysely
    .selectFrom("campaigns")
    .innerJoin("evaluations", "evaluations.campaignId", "campaigns.id")
    .select(["campaigns.id", "status", "name", "evaluationAt", "leaseDigest", "leaseExpiresAt"])
    .where("campaigns.projectId", "=", project.projectId)
    .orderBy("campaigns.id")
    .execute();
  const stored = rows.map(({ leaseDigest, leaseExpiresAt, id, ...row }) => ({
    ...row,
    id: apiId("cmp", id),
    lease: leaseExpiresAt !== null && leaseExpiresAt > house.now() ? leaseDigest?.toString("hex") : null,
  }));
  const expected = model.campaigns
    .map((campaign) => {
      const { id, status, name, evaluationAt } = campaign;
      const token = model.liveToken(campaign);
      return { id, status, name, evaluationAt, lease: token === null ? null : hash("sha256", token) };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(stored, expected, "campaigns and leases");
}

/** Weights, names and texts of variants, every proposal, and every change that was applied, with its approval. */
export async function compareAll({ house, project, model }: Stage): Promise<void> {
  for (const campaign of model.campaigns) {
    const { body } = await ask(project, "person", ["GET", `/campaigns/${campaign.id}`]);
    const { variants, effectiveStatus } = body.campaign as {
      effectiveStatus: string;
      variants: { id: string; name: string; weight: number; content: { title: string } }[];
    };
    assert.equal(effectiveStatus, model.effectiveStatus(campaign));
    assert.deepEqual(
      variants.map(({ id, name, weight, content: { title } }) => ({ id, name, weight, title })),
      campaign.variants,
    );
    const proposals: unknown[] = [];
    for (const { id } of campaign.proposals) {
      const { body: read } = await ask(project, "agent", ["GET", `/agent/proposals/${id}`]);
      const { status, state, payloadHash, expiresAt } = read.proposal as Record<string, unknown>;
      proposals.push({ id, status, state, payloadHash, expiresAt });
    }
    assert.deepEqual(
      proposals,
      campaign.proposals.map((each) => ({
        id: each.id,
        status: model.statusOf(each),
        state: model.stateOf(campaign, each),
        payloadHash: each.payloadHash,
        expiresAt: each.expiresAt,
      })),
    );
    const applied = await house.database.kysely
      .selectFrom("appliedMutations")
      .select(["evaluationAt", "payloadHash", "proposalId"])
      .where("campaignId", "=", uuidFor("cmp", campaign.id))
      .execute();
    const inOrder = (rows: readonly { payloadHash: string }[]) =>
      rows.toSorted((a, b) => (a.payloadHash < b.payloadHash ? -1 : 1));
    assert.deepEqual(
      inOrder(
        applied.map((row) => ({
          ...row,
          proposalId: row.proposalId === null ? null : apiId("prop", row.proposalId),
        })),
      ),
      inOrder(
        campaign.applied.map(({ evaluationAt, payloadHash, proposalId }) => ({
          evaluationAt,
          payloadHash,
          proposalId,
        })),
      ),
    );
    assert.ok(
      campaign.applied.every(({ neededApproval, proposalId }) => !neededApproval || proposalId !== null),
      "what needed an approval had one",
    );
  }
}
