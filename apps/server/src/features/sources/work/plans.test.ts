import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign, toast } from "../../../../test/factories.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  type Claim,
  claimed,
  claimState,
  connected,
  creating,
  managedHouse,
  type Op,
  planFor,
  readCampaign,
  reconcile,
  refused,
} from "../../../../test/source-work.ts";

const house = managedHouse();

describe("a plan", { skip: WITHOUT_GIT }, () => {
  it("is refused with the field that is at fault, changes nothing, and gives the lease back", async () => {
    const { repository, project } = await connected(house);
    const customer = await project.api.createCampaign({
      body: { name: "Mine", message: toast("Mine, mine") },
    });
    const { id: launchedId } = await launchCampaign(project);
    const shas = [
      repository.commit({ "a.css": "a\n" }, "Add A"),
      repository.commit({ "b.css": "b\n" }, "Add B"),
    ];
    const [a = "", b = ""] = shas;
    const { id, variants } = customer.campaign;
    const variantId = variants[0]?.id ?? "";
    const skipping: Op = { op: "skip", shas: [b], reason: "Nothing that users see." };
    const edit = (before: string, after = "Ours", field: "title" | "body" = "title") => ({
      field,
      before,
      after,
    });
    const revising =
      (edits: ReturnType<typeof edit>[], more: Partial<Extract<Op, { op: "revise" }>> = {}) =>
      (claim: Claim): Op => ({
        op: "revise",
        shas: [a],
        campaignId: id,
        patch: { variants: [{ id: variantId, edits }] },
        baseContentHash: claim.drafts.find(({ campaignId }) => campaignId === id)?.contentHash ?? "",
        ...more,
      });
    const web = (message: Record<string, unknown>): Op => ({
      op: "create",
      shas: [a],
      campaign: { name: "New", channel: "web_inapp", message },
    });
    type Case = [ops: (Op | ((claim: Claim) => Op))[], status: number, error: RegExp];
    const cases: Case[] = [
      [
        [creating([a])],
        400,
        new RegExp(`^ops must draft or skip every commit of the claim: ${b} is missing$`),
      ],
      [[creating(shas), skipping], 400, /^ops\[1\]\.shas\[0\] must not be both drafted and skipped$/],
      [
        [creating([a, "f".repeat(40)]), skipping],
        400,
        /^ops\[0\]\.shas\[1\] must be a commit of the claim's changes$/,
      ],
      [[creating([a, a]), skipping], 400, /^ops\[0\]\.shas\[1\] must not be given twice$/],
      [[creating(shas), creating(shas)], 400, /^ops\[1\] must not repeat another one$/],
      [
        [revising([edit("no such text")]), skipping],
        400,
        /^ops\[0\]\.patch\.variants\[0\]\.edits\[0\]\.before must stand in the text exactly once$/,
      ],
      [[revising([edit("ine")]), skipping], 400, /edits\[0\]\.before must stand in the text exactly once$/],
      [
        [revising([edit("Mine,"), edit("ne, m")]), skipping],
        400,
        /edits\[1\]\.before must not overlap with another edit$/,
      ],
      [
        [revising([edit("x", "y", "body")]), skipping],
        400,
        /edits\[0\]\.field must be a text that the variant has$/,
      ],
      [[revising([edit("Mine,", "{{ nonsense")]), skipping], 400, /^ops\[0\]\.patch: .*title/],
      [
        [revising([edit("Mine,")], { patch: { name: { before: "Min", after: "New" } } }), skipping],
        400,
        /^ops\[0\]\.patch\.name\.before must be the whole name/,
      ],
      [
        [revising([edit("Mine,")], { baseContentHash: "0".repeat(64) }), skipping],
        409,
        /^ops\[0\]\.baseContentHash is stale/,
      ],
      [
        [revising([edit("Mine,")], { campaignId: "cmp_nowhere" }), skipping],
        404,
        /^ops\[0\]\.campaignId is no campaign/,
      ],
      [
        [revising([edit("Mine,")], { campaignId: launchedId }), skipping],
        409,
        /^ops\[0\]\.campaignId was launched/,
      ],
      [
        [{ op: "withdraw", campaignId: id, baseContentHash: "0".repeat(64), patch: {} }, creating(shas)],
        400,
        /must be a campaign of the claim's withdrawals$/,
      ],
      [
        [web({ presentation: "toast", subject: "For mail" }), skipping],
        400,
        /^ops\[0\]\.campaign: message.*subject/,
      ],
      [
        [web({ presentation: "banner", title: "Hi" }), skipping],
        400,
        /^ops\[0\]\.campaign: message\.presentation/,
      ],
      [
        [web({ presentation: "toast" }), skipping],
        400,
        /^ops\[0\]\.campaign: message must have a title or a body/,
      ],
      // The second draft is refused, so the first one is not made.
      [
        [creating([b], "First"), web({ presentation: "toast", title: "{{" })],
        400,
        /^ops\[1\]\.campaign: message\.title/,
      ],
    ];
    for (const [ops, status, error] of cases) {
      const claim = await claimed(house, project);
      const before = (await project.api.listCampaigns()).total;
      const plan = planFor(
        claim,
        ops.map((op) => (typeof op === "function" ? op(claim) : op)),
      );
      const answer = await refused(reconcile(project, claim, plan));
      const body = answer.body as { ok: boolean; status: number; error: string };
      assert.deepEqual([answer.status, body.ok, body.status], [status, false, status], body.error);
      assert.match(body.error, error);
      assert.equal((await project.api.listCampaigns()).total, before);
      // The lease is gone, and the work can be claimed again after a while.
      assert.equal((await refused(reconcile(project, claim, plan))).status, 403);
      house.advance(6 * 3_600_000);
    }
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual(campaign, customer.campaign);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("says from where to where it goes as its claim did", async () => {
    const { repository, project } = await connected(house);
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    for (const [change, error] of [
      [{ fromSha: "0".repeat(40) }, /^fromSha is not/],
      [{ toSha: "0".repeat(40) }, /^toSha is not/],
      [{ sourceGeneration: 7 }, /^The source has become another one/],
    ] as const) {
      const claim = await claimed(house, project);
      const plan = { ...planFor(claim, [creating([sha])]), ...change };
      const { status, body } = await refused(reconcile(project, claim, plan));
      assert.equal(status, 409);
      assert.match((body as { error: string }).error, error);
      house.advance(3_600_000);
    }
  });

  it("may be about a draft of the customer, whose own changes stay", async () => {
    const { repository, project } = await connected(house);
    const own = { sourceId: "elsewhere", kind: "commit" as const, sha: "e".repeat(40) };
    const { campaign } = await project.api.createCampaign({
      body: { name: "Mine", message: toast("Mine"), sourceChanges: { changes: [own] } },
    });
    const sha = repository.commit({ "a.css": "a\n" }, "Add A");
    const claim = await claimed(house, project);
    const [draft] = claim.drafts;
    const variantId = campaign.variants[0]?.id ?? "";
    assert.deepEqual(
      [draft?.origin, draft?.customerEditedFields],
      ["customer", ["name", `${variantId}.title`]],
    );
    const patch = {
      variants: [
        { id: variantId, edits: [{ field: "title" as const, before: "Mine", after: "Mine, with A" }] },
      ],
    };
    const base = { campaignId: campaign.id, baseContentHash: draft?.contentHash ?? "" };
    await reconcile(project, claim, planFor(claim, [{ op: "revise", shas: [sha], ...base, patch }]));
    const both = await readCampaign(project, campaign.id);
    assert.deepEqual(both.sourceChanges.changes, [own, { sourceId: "web", kind: "commit", sha }]);
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal((await claimState(house, project)).state, "settled");
    const back = await readCampaign(project, campaign.id);
    assert.deepEqual([back.sourceChanges.changes, back.variants], [[own], campaign.variants]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
});
