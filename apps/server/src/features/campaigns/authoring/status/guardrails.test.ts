import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { launchCampaign, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { uuidOf } from "../../../../domain/ids.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const HOUR_MS = 3_600_000;

async function withGoal(guardrails: Record<string, unknown>) {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Goal", guardrails } });
  return { project, api: project.api, goalId: goal.id };
}

/** What a guardrail refuses, without the sentence. */
async function violation(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const { status, body } = await refusal(call);
  const { error, ...rest } = body as Record<string, unknown>;
  assert.equal(status, 409, String(error));
  assert.equal(rest.reason, "guardrail_violated");
  return rest;
}

const draft = async ({ api }: TestProject, goalId: string | null, title = "Hello") =>
  (await api.createCampaign({ body: { name: "Draft", goalId, message: toast(title) } })).campaign;
const launch = ({ api }: TestProject, id: string) =>
  api.setCampaignStatus({ path: { id }, body: { action: "launch" } });

describe("guardrails of a goal", () => {
  const WRONG: readonly (readonly [string, unknown, string])[] = [
    ["maxActiveCampaigns", 1.5, "must be a whole number from 0 to 1000"],
    ["maxActiveCampaigns", 1001, "must be a whole number from 0 to 1000"],
    ["maxUnsubscribeRate", 2, "must be a number from 0 to 1"],
    ["maxComplaintRate", "0.1", "must be a number from 0 to 1"],
    ["minConversionRate", -1, "must be a number from 0 to 1"],
    ["minControlShare", null, "must be a number from 0 to 1"],
    [
      "quietUntil",
      "tomorrow",
      "must be epoch milliseconds or an ISO-8601 date-time with an offset, such as 2026-01-31T09:00:00Z",
    ],
    ["errorBudget", 0.6, "must be a number from 0.001 to 0.5"],
    ["minimumLift", 0, "must be a number over 0 and under 1"],
    ["forbiddenPhrases", [], "must be a list of 1 to 50 phrases of 1 to 80 characters that can be seen"],
    ["forbiddenPhrases", ["*"], "must be a list of 1 to 50 phrases of 1 to 80 characters that can be seen"],
  ];

  it("are checked where they mean something, and kept where not", async () => {
    const { api, goalId } = await withGoal({ maxPerWeek: "two" });
    for (const [key, value, rule] of WRONG)
      for (const call of [
        api.createGoal({ body: { name: "G", guardrails: { [key]: value } } }),
        api.updateGoal({ path: { id: goalId }, body: { guardrails: { [key]: value } } }),
      ]) {
        const { status, body } = await refusal(call);
        assert.deepEqual([status, (body as { error: string }).error], [400, `guardrails.${key} ${rule}`]);
      }
    const guardrails = { maxActiveCampaigns: 3, quietUntil: "2026-01-01T00:00:00Z", mine: [1] };
    const { goal } = await api.updateGoal({ path: { id: goalId }, body: { guardrails } });
    assert.deepEqual(goal.guardrails, guardrails);
  });

  it("that were stored before they were checked refuse launches, and nothing else", async () => {
    const { project, api, goalId } = await withGoal({});
    const running = await launchCampaign(project, { goalId });
    const free = await launchCampaign(project);
    await house.database.pool.query("update goals set guardrails = $2 where id = $1", [
      uuidOf("goal", goalId),
      { minControlShare: "half" },
    ]);
    const expected = {
      reason: "guardrail_violated",
      guardrail: "minControlShare",
      limit: null,
      observed: null,
    };
    const { id } = await draft(project, goalId);
    assert.deepEqual(await violation(launch(project, id)), expected);
    assert.deepEqual(await violation(launchCampaign(project, { goalId })), expected);
    assert.deepEqual(
      await violation(api.updateCampaign({ path: { id: free.id }, body: { goalId } })),
      expected,
    );
    await api.updateCampaign({ path: { id }, body: { message: toast("Other") } });
    await api.updateCampaign({ path: { id: running.id }, body: { name: "Other" } });
    await api.setCampaignStatus({ path: { id: running.id }, body: { action: "pause" } });
  });
});

describe("maxActiveCampaigns", () => {
  it("lets as many of 20 parallel launches pass as it allows", async () => {
    const { project, goalId } = await withGoal({ maxActiveCampaigns: 3 });
    const drafts = await Promise.all(Array.from({ length: 10 }, () => draft(project, goalId)));
    const results = await Promise.allSettled([
      ...drafts.map(({ id }) => launch(project, id)),
      ...drafts.map(() => launchCampaign(project, { goalId })),
    ]);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 3);
    for (const each of results)
      if (each.status === "rejected")
        assert.equal((await violation(Promise.reject(each.reason))).guardrail, "maxActiveCampaigns");
    const { rows } = await house.database.pool.query(
      "select count(*) from campaigns where goal_id = $1 and status = 'running'",
      [uuidOf("goal", goalId)],
    );
    assert.equal(Number(rows[0].count), 3);
  });

  it("counts scheduled campaigns, and those that are linked or go on", async () => {
    const { project, api, goalId } = await withGoal({ maxActiveCampaigns: 1 });
    const expected = { reason: "guardrail_violated", guardrail: "maxActiveCampaigns", limit: 1, observed: 2 };
    const now = house.now();
    const over = await launchCampaign(project, { goalId, deliverUntil: now + HOUR_MS });
    house.advance(HOUR_MS);
    const early = await launchCampaign(project, { goalId, deliverFrom: now + 9 * HOUR_MS });
    assert.deepEqual(await violation(launchCampaign(project, { goalId })), expected);
    const other = await launchCampaign(project);
    assert.deepEqual(
      await violation(api.updateCampaign({ path: { id: other.id }, body: { goalId } })),
      expected,
    );
    const longer = () => api.updateCampaign({ path: { id: over.id }, body: { deliverUntil: null } });
    assert.deepEqual(await violation(longer()), expected);
    await api.setCampaignStatus({ path: { id: early.id }, body: { action: "pause" } });
    await longer();
    assert.deepEqual(await violation(launch(project, early.id)), expected);
    // A draft may be linked: it does not run.
    await api.updateCampaign({ path: { id: (await draft(project, null)).id }, body: { goalId } });
  });
});

it("forbiddenPhrases are refused in new texts, changed texts, by another goal and at launch", async () => {
  const { project, api, goalId } = await withGoal({ forbiddenPhrases: ["risk free", "free*"] });
  const expected = {
    reason: "guardrail_violated",
    guardrail: "forbiddenPhrases",
    limit: 0,
    observed: 1,
    field: "variants[0].message.title",
    phrase: "free*",
  };
  assert.deepEqual(await violation(draft(project, goalId, "Freedom")), expected);
  const { id } = await draft(project, goalId);
  const patch = (body: Parameters<typeof api.updateCampaign>[0]["body"]) =>
    api.updateCampaign({ path: { id }, body });
  assert.deepEqual(await violation(patch({ message: toast("Free") })), expected);
  assert.deepEqual(await violation(patch({ variants: [{ message: toast("It is fr\u00adee") }] })), {
    ...expected,
    field: "variants[1].message.title",
  });
  const other = await draft(project, null, "Free");
  const link = api.updateCampaign({ path: { id: other.id }, body: { goalId } });
  assert.deepEqual(await violation(link), expected);
  await api.updateGoal({ path: { id: goalId }, body: { guardrails: { forbiddenPhrases: ["hello"] } } });
  assert.deepEqual(await violation(launch(project, id)), { ...expected, phrase: "hello" });
  await patch({ name: "Still a draft" });
  assert.deepEqual((await api.getCampaign({ path: { id } })).campaign.status, "draft");
  const { api: stranger } = await house.project();
  assert.equal(
    (await refusal(stranger.updateCampaign({ path: { id }, body: { name: "Mine" } }))).status,
    404,
  );
});

it("forbiddenPhrases are found in inline code of mail, and in letters that only look alike", async () => {
  const { api, goalId } = await withGoal({ forbiddenPhrases: ["guaranteed"] });
  for (const body of ["gua`ran`teed", "**gua**`ran`teed", "gu\u0430ranteed", "&#103;u\u0430ranteed"]) {
    const message = { subject: "Hello", body };
    const made = api.createCampaign({ body: { name: "Mail", channel: "email", goalId, message } });
    const found = await violation(made);
    assert.deepEqual([found.field, found.phrase], ["variants[0].message.body", "guaranteed"], body);
  }
});

describe("characters that reverse how a text is read", () => {
  const REVERSED = "\u202edeetnaraug\u202c";

  it("are refused in each text of a message, with the field", async () => {
    const { project, api } = await withGoal({});
    const url = "https://example.com/";
    const mail = (more: object) => ({ subject: "A", body: "B", ...more });
    const push = (more: object) => ({
      title: "A",
      body: "B",
      destination: { kind: "website" as const, url },
      ...more,
    });
    const web = (more: object) => ({ presentation: "toast" as const, title: "A", ...more });
    const settings = { appId: "com.example", selection: { kind: "all" as const } };
    const cases: [channel: "web_inapp" | "email" | "push", message: object, field: string][] = [
      ["web_inapp", web({ title: REVERSED }), "title"],
      ["web_inapp", web({ body: "\u2066a\u2069" }), "body"],
      ["web_inapp", web({ cta: { label: "\u202aGo", url: "/x" } }), "cta.label"],
      ["web_inapp", web({ title: '{{ user.x | default: "\\u202Eab" }}' }), "title"],
      ["email", mail({ subject: REVERSED }), "subject"],
      ["email", mail({ previewText: "\u2067a" }), "previewText"],
      ["email", mail({ body: `So **${REVERSED}**` }), "body"],
      ["email", mail({ body: "So &#x202E;deetnaraug" }), "body"],
      ["email", mail({ body: "So &#8238;deetnaraug" }), "body"],
      ["email", mail({ cta: { label: REVERSED, url } }), "cta.label"],
      ["push", push({ title: "\u2068a" }), "title"],
      ["push", push({ ios: { subtitle: "\u202da" } }), "ios.subtitle"],
      ["push", push({ actions: [{ id: "a", title: REVERSED }] }), "actions[0].title"],
    ];
    for (const [channel, message, field] of cases) {
      const body = { name: "Odd", channel, message, ...(channel === "push" ? { push: settings } : {}) };
      const { status, error } = await refusal(
        api.createCampaign({ body: body as Parameters<typeof api.createCampaign>[0]["body"] }),
      );
      assert.equal(status, 400, field);
      assert.match(
        error,
        new RegExp(`^message\\.${field.replace(/[[\].]/g, "\\$&")} must not have characters that rev`),
      );
    }
    const { id } = await draft(project, null);
    const changed = await refusal(
      api.updateCampaign({ path: { id }, body: { variants: [{ message: toast(REVERSED) }] } }),
    );
    assert.match(changed.error, /^variants\[0\]\.message\.title must not have/);
  });

  it("are no marks of Arabic and Hebrew, and stay readable where they are stored", async () => {
    const { project, api } = await withGoal({});
    for (const title of ["\u200fمرحبا!\u200f (Tidings\u200e)", "שלום\u200e 5\u061c%", "می\u200cخواهم"])
      await api.createCampaign({ body: { name: "Right to left", message: toast(title) } });
    const { id } = await draft(project, null, "Old");
    await house.database.pool.query(
      "update variants set content = jsonb_set(content, '{title}', to_jsonb($2::text)) where campaign_id = $1",
      [uuidOf("cmp", id), REVERSED],
    );
    const { campaign } = await api.getCampaign({ path: { id } });
    assert.deepEqual(campaign.variants[0]?.content, { ...toast("Old"), title: REVERSED });
    await api.updateCampaign({ path: { id }, body: { name: "New name" } });
    await launch(project, id);
  });
});

it("minControlShare is asked where weights, the control or the goal change, also of drafts", async () => {
  const { project, api, goalId } = await withGoal({ minControlShare: 0.25 });
  const variants = [
    { name: "A", weight: 1, isControl: true, message: toast() },
    { name: "B", weight: 3, message: toast("B") },
  ];
  const { campaign } = await api.createCampaign({ body: { name: "Two", goalId, variants } });
  const [a, b] = campaign.variants;
  const patch = (variants: NonNullable<Parameters<typeof api.updateCampaign>[0]["body"]["variants"]>) =>
    api.updateCampaign({ path: { id: campaign.id }, body: { variants } });
  const expected = { reason: "guardrail_violated", guardrail: "minControlShare", limit: 0.25, observed: 0.2 };
  assert.deepEqual(await violation(patch([{ id: b?.id ?? "", weight: 4 }])), expected);
  assert.deepEqual(await violation(patch([{ message: toast("C") }])), expected);
  await patch([
    { id: a?.id ?? "", weight: 0, isControl: false },
    { id: b?.id ?? "", isControl: true },
  ]);
  const { campaign: free } = await api.createCampaign({
    body: {
      name: "Free",
      variants: [variants[0] ?? { message: toast() }, { name: "B", weight: 4, message: toast() }],
    },
  });
  assert.deepEqual(
    await violation(api.updateCampaign({ path: { id: free.id }, body: { goalId } })),
    expected,
  );
  await launch(project, campaign.id);
});

it("quietUntil refuses every way to begin earlier", async () => {
  const now = house.now();
  const quietUntil = now + HOUR_MS;
  const { project, api, goalId } = await withGoal({ quietUntil });
  const expected = {
    reason: "guardrail_violated",
    guardrail: "quietUntil",
    limit: quietUntil,
    observed: now,
  };
  const { id } = await draft(project, goalId);
  assert.deepEqual(await violation(launch(project, id)), expected);
  assert.deepEqual(await violation(launchCampaign(project, { goalId })), expected);
  const other = await launchCampaign(project);
  assert.deepEqual(
    await violation(api.updateCampaign({ path: { id: other.id }, body: { goalId } })),
    expected,
  );
  const planned = await launchCampaign(project, { goalId, deliverFrom: quietUntil });
  const earlier = api.updateCampaign({ path: { id: planned.id }, body: { deliverFrom: null } });
  assert.deepEqual(await violation(earlier), expected);
  await api.updateCampaign({ path: { id: planned.id }, body: { deliverFrom: quietUntil + 1 } });
  house.advance(HOUR_MS);
  await launch(project, id);
});
