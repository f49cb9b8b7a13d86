import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import type { AgentProposal, ProposalReview } from "../../src/features/agent/evaluations/schema.ts";
import {
  cleanUp,
  done,
  type Ended,
  keysOf,
  migratedDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
} from "./spawned.ts";

let env: Record<string, string>;
let server: Spawned;
let keys: ProjectKeys;
let api: Client;
let agent: Client;

before(async () => {
  env = { DATA_DIR: await migratedDataDir(), RATE_LIMITS: "off" };
  server = await serve(env);
  keys = keysOf(server);
  [api, agent] = [createClient(server.url, keys.secretKey), createClient(server.url, keys.agentKey)];
  const settings = ["safety.maxConcurrentCampaigns=10"];
  await done(tidings(["settings", "set", "--project", keys.projectId, ...settings], env));
});
after(async () => {
  assert.equal((await stop(server)).code, 0);
});
after(cleanUp);

const run = (...args: string[]): Promise<Ended> =>
  tidings(["approvals", ...args, "--project", keys.projectId], env);

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse(await done(run(...args, "--json"))) as T;
}

/** A campaign with an evaluation, and what an agent proposes for it: another title, or a pause. */
async function proposed(title: string | null): Promise<AgentProposal> {
  const { goal } = await api.createGoal({ body: { name: "Upgrades" } });
  const { campaign } = await api.createCampaign({
    body: {
      name: "Spring",
      goalId: goal.id,
      launch: true,
      message: { presentation: "toast", title: "Hello you" },
    },
  });
  const path = { id: campaign.id };
  const nextEvaluationAt = Date.now();
  await api.scheduleEvaluation({ path, body: { nextEvaluationAt } });
  const { leaseToken } = await agent.claimEvaluation({ path, body: {} });
  const [variant] = campaign.variants;
  const message = { presentation: "toast" as const, title: title ?? "" };
  const mutation =
    title === null
      ? { type: "status" as const, action: "pause" as const }
      : { type: "update" as const, variants: [{ id: variant?.id ?? "", message }] };
  const body = { campaignId: campaign.id, evaluationAt: nextEvaluationAt, leaseToken, mutation };
  return (await agent.createProposal({ body })).proposal;
}

describe("tidings approvals", () => {
  it("lists and shows exactly what would be applied, without letting it write to the terminal", async () => {
    assert.match(await done(run("list")), /There are no proposals/);
    const { id, payloadHash, campaignId } = await proposed("Hello \u001b[31m everybody");
    assert.match(
      await done(run("list", "--status", "pending")),
      new RegExp(`^${id}  pending   .*${campaignId}  change`),
    );
    assert.deepEqual(
      (await json<AgentProposal[]>("list")).map((each) => each.id),
      [id],
    );
    assert.doesNotMatch(await done(run("show", id)), /begins anew/);
    const user = { userId: "ada" };
    const sdk = createClient(server.url, keys.publishableKey);
    const { messages } = await sdk.getMessages({ query: user });
    const [message] = messages.filter((each) => each.campaignId === campaignId);
    assert.ok(message);
    const body = { ...user, type: "shown", feedbackId: "seen-1" } as const;
    await sdk.sendDeliveryFeedback({ path: { id: message.deliveryId }, body });
    const page = await done(run("show", id));
    assert.match(
      page,
      new RegExp(`counting begins anew\n {2}A \\(${message.variantId}\\): no longer counts 1 user\n`),
    );
    assert.match(page, new RegExp(`hash +${payloadHash}`));
    assert.match(page, /message\.title: Hello \[-you-\]\{\+\?\[31m everybody\+\}/);
    assert.match(
      page,
      /what users read\n {2}A \(var_\S+\) before, title: "Hello you"\n {2}A \(var_\S+\) after, title: /,
    );
    assert.match(page, /what may be wrong\n {2}Nothing was found\./);
    const pause = await done(run("show", (await proposed(null)).id));
    assert.match(
      pause,
      /what users read\n {2}A \(var_\S+\), title: "Hello you"\n/,
      "also where no text changes",
    );
    const shown = await json<{ proposal: AgentProposal; review: ProposalReview }>("show", id);
    assert.deepEqual([shown.proposal.id, shown.review.isStale], [id, false]);
  });

  it("shows what launch check finds, in the same words", async () => {
    const { id } = await proposed("Hello {{ user.nickname }}");
    const checked = await done(tidings(["launch", "check", id, "--project", keys.projectId], env));
    assert.match(checked, /No trait "nickname" was seen/);
    const page = await done(run("show", id));
    for (const found of checked.trim().split("\n")) assert.ok(page.includes(`\n  ${found}`), found);
    const { findings } = await json<{ findings: { warnings: { code: string }[] } }>("show", id);
    assert.deepEqual(
      findings.warnings.map(({ code }) => code),
      ["unobserved_trait"],
    );
    await done(run("reject", id));
  });

  it("says that nobody applies what is approved while agents are stopped", async () => {
    const { id } = await proposed("Hello all");
    const set = (value: string) =>
      done(tidings(["settings", "set", "--project", keys.projectId, `safety.loopPaused=${value}`], env));
    await set("true");
    assert.match(await done(run("approve", id)), /^Nobody applies it now: the project's agents are paused/m);
    await set("");
  });

  it("approves in the name of a person, who names the hash that they saw", async () => {
    const { id, payloadHash } = await proposed("Hello everybody");
    await refused(run("approve", id, "--hash", "000000"), /another hash/);
    const decided = await done(
      run("approve", id, "--by", "Grace", "--hash", payloadHash.slice(0, 8), "--reason", "Good"),
    );
    assert.match(decided, new RegExp(`${id} approved by Grace`));
    assert.match(decided, /^A program of yours applies it\. It last took up an evaluation at \d{4}-/m);
    const { proposal } = await api.getProposal({ path: { id } });
    assert.deepEqual([proposal.state, proposal.decidedBy, proposal.reason], ["approved", "Grace", "Good"]);
    await refused(run("reject", id), /approved by Grace already/);
    assert.doesNotMatch(await done(run("show", id)), /was changed since/);
    await api.updateCampaign({ path: { id: proposal.campaignId }, body: { pages: ["/elsewhere"] } });
    assert.match(await done(run("show", id)), /changed since it was approved: it is not applied/);
  });

  it("rejects, for good where the person says so", async () => {
    const { id } = await proposed("Hello all");
    const rejected = await json<AgentProposal>("reject", id, "--by", "Grace", "--for-good");
    assert.deepEqual([rejected.status, rejected.decidedBy], ["rejected", "Grace"]);
  });

  it("refuses what is no proposal of the project, and options that are none", async () => {
    await refused(run("show", "prop_nothing"), /There is no proposal prop_nothing in this project/);
    await refused(run("approve", "prop_nothing"), /no such proposal/);
    await refused(run("list", "--status", "open"), /must be pending, approved or rejected/);
    await refused(run("approve", "prop_nothing", "--hash", "xyz"), /first 6 to 64 characters/);
  });
});
