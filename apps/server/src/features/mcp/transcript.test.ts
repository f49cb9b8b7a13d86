import assert from "node:assert/strict";
import { it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { connect } from "../../../test/mcp.ts";

const house = testHouse();

/** A call as a model emits it. `{{name}}` stands for a value that an earlier result had, which `keeps` names by its path. */
type Turn = {
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  isError?: true;
  keeps?: Readonly<Record<string, string>>;
};

const activeOnPro = {
  version: 1,
  root: {
    kind: "all",
    children: [
      { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
      { kind: "event", event: "exported", count: { op: "gte", value: 1 } },
    ],
  },
};
const misspelt = {
  version: 1,
  root: { kind: "field", field: { kind: "trait", key: "plan" }, operator: "eq", value: "pro" },
};

/** "Tell pro users who export that reports can be scheduled now. Do not send anything yet; how many would get it?" */
const TRANSCRIPT: readonly Turn[] = [
  { tool: "get_audience_capabilities", arguments: {} },
  { tool: "check_audience", arguments: { expression: misspelt }, isError: true },
  {
    tool: "check_audience",
    arguments: { expression: activeOnPro, sampleLimit: 2 },
    keeps: { matched: "matchedCount" },
  },
  {
    tool: "create_segment",
    arguments: { key: "pro-exporters", name: "Pro users who export", expression: activeOnPro },
    keeps: { segment: "segment.key" },
  },
  { tool: "get_segment", arguments: { id: "{{segment}}" } },
  { tool: "check_audience", arguments: { segment: "{{segment}}" } },
  {
    tool: "create_goal",
    arguments: { name: "Scheduled reports", targetEvent: "report_scheduled" },
    keeps: { goal: "goal.id" },
  },
  {
    tool: "create_campaign",
    arguments: {
      name: "Schedule your reports",
      goalId: "{{goal}}",
      audience: { kind: "segment", segment: "{{segment}}" },
      variants: [
        {
          name: "Short",
          isControl: true,
          weight: 50,
          message: { presentation: "toast", title: "Reports on time" },
        },
        { name: "Why", weight: 50, message: { presentation: "toast", title: "Never export by hand again" } },
      ],
    },
    keeps: { campaign: "campaign.id" },
  },
  { tool: "take_campaign_census", arguments: { id: "{{campaign}}" }, keeps: { reached: "willReceive" } },
  { tool: "explain_campaign", arguments: { id: "{{campaign}}", userId: "user-1" } },
  {
    tool: "create_agent_run",
    arguments: {
      kind: "decision",
      campaignId: "{{campaign}}",
      input: { question: "pro users who export" },
      output: { campaign: "{{campaign}}" },
      rationale: "Drafted, not launched.",
    },
  },
  { tool: "get_campaign", arguments: { id: "{{campaign}}" }, keeps: { status: "campaign.status" } },
];

const valueAt = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

it("a model makes a segment, checks it, drafts a campaign for it and counts whom it would reach", async () => {
  const project = await house.project();
  const { api, sdk, secretKey } = project;
  for (let n = 0; n < 6; n++) {
    const userId = `user-${n}`;
    await sdk.identify({ body: { userId, traits: { plan: n < 4 ? "pro" : "free" } } });
    if (n % 2 === 1) await sdk.track({ body: { userId, event: "exported" } });
  }
  const { call } = await connect(project, "/mcp", secretKey);
  const kept: Record<string, unknown> = {};
  for (const { tool, arguments: given, isError = false, keeps = {} } of TRANSCRIPT) {
    const filled = JSON.stringify(given).replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(kept[name]));
    const answer = await call(tool, JSON.parse(filled) as Record<string, unknown>);
    assert.equal(answer.isError, isError, `${tool}: ${answer.texts[0]}`);
    for (const [name, path] of Object.entries(keeps)) {
      kept[name] = valueAt(answer.json, path);
      assert.notEqual(kept[name], undefined, `${tool} answers ${path}: ${answer.texts[0]}`);
    }
  }

  assert.equal(kept.matched, 2);
  assert.equal(kept.status, "draft");
  assert.equal(kept.reached, 2);
  const { campaigns } = await api.listCampaigns();
  assert.deepEqual(
    campaigns.map(({ id, status }) => [id, status]),
    [[kept.campaign, "draft"]],
  );
  const { messages } = await sdk.getMessages({ query: { userId: "user-1" } });
  assert.deepEqual(messages, [], "nothing was sent");
  assert.deepEqual(await house.differences(), {});
});
