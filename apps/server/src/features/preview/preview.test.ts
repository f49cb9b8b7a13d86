import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import fc from "fast-check";
import { launchEmail, people, sendingProject } from "../../../test/email.ts";
import { launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { startSmtp } from "../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../test/people.ts";
import { getGoalLimits } from "../agent/evaluations/limits/get-goal-limits.ts";
import { getProposal } from "../agent/evaluations/proposals/get-proposal.ts";
import { getApproval } from "../approvals/get-approval.ts";
import { listApprovals } from "../approvals/list-approvals.ts";
import { readMail } from "../content/email/public.ts";
import { previewMessage } from "./preview-message.ts";
import { reviewCampaign } from "./review-campaign.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

/** The operations of a project as an editor has them in the dashboard. */
async function editorOf({ projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "editor");
  return createPeopleClient(house.url, person.headers(projectId));
}

/** Texts with and without personal fields, in several scripts. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom("{{ user.name }}", "{{ user.plan | default: 'free' }}", "{{ user.id | upcase }}"),
      fc.constantFrom("Hello ", "你好", "مرحبا", "<b>", "& ", "👋🏽", "“”", "\n"),
      fc.string({ maxLength: 12, unit: "grapheme" }).filter((text) => !/[{}\p{C}]/u.test(text)),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => `T${parts.join("")}`);
const MOST_OF_TITLE = 120;
const titles = texts.filter((text) => text.length <= MOST_OF_TITLE);

it("what renders, parses or counts for people waits its turn among the expensive reads", () => {
  const expensive = [previewMessage, reviewCampaign, getApproval, getProposal, getGoalLimits, listApprovals];
  for (const { spec } of expensive) assert.equal(spec.cost, "heavy", spec.id);
});

describe("a preview", () => {
  it("of a web message is what the user is served", async () => {
    const project = await house.project();
    const editor = await editorOf(project);
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada <i>", plan: "pro" } } });
    await fc.assert(
      fc.asyncProperty(titles, texts, fc.boolean(), async (title, body, isModal) => {
        const message = {
          presentation: isModal ? ("modal" as const) : ("toast" as const),
          title,
          body,
          cta: { label: "Go, {{ user.plan | upcase }}", url: "/reports" },
        };
        const campaign = await launchCampaign(project, { message });
        const served = await messagesOf(project, "ada");
        const preview = await editor.previewMessage({
          body: { channel: "web_inapp", message, userId: "ada" },
        });
        assert.ok(preview.channel === "web_inapp");
        assert.deepEqual(
          preview.content,
          served.find(({ campaignId }) => campaignId === campaign.id)?.content,
        );
        await project.api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "end" } });
      }),
      { numRuns: 12 },
    );
  });

  it("of an email is the mail that the user gets, but for the token of its delivery", async () => {
    const smtp = await startSmtp();
    const quiet = { "email.trackOpens": "false", "email.trackClicks": "false", "email.capMax": "100" };
    const project = await sendingProject(house, smtp.port, quiet);
    const editor = await editorOf(project);
    await people(project, ["ada"]);
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    await fc.assert(
      fc.asyncProperty(texts, texts, async (subject, text) => {
        const message = {
          subject: subject.replaceAll("\n", " "),
          previewText: "In short",
          body: `# ${text}\n\nMore of it, [here](https://shop.example/offer).`,
          cta: { label: "Open", url: "https://shop.example/?user={{ user.id }}" },
        };
        const before = smtp.taken.length;
        await launchEmail(project, { message });
        await house.drain();
        const delivered = await readMail(Buffer.from(smtp.taken[before]?.raw ?? ""));
        const preview = await editor.previewMessage({ body: { channel: "email", message, userId: "ada" } });
        assert.ok(preview.channel === "email");
        const { html, text: plain, from, to, subject: shown } = preview;
        const anonymous = (text: string | null) =>
          text?.replace(/\/e\/[^/"\s]+\/unsubscribe/g, "/e/-/unsubscribe");
        assert.equal(anonymous(html), anonymous(delivered.html));
        assert.equal(anonymous(plain), anonymous(delivered.text));
        assert.deepEqual([from, to, shown], [delivered.from, delivered.to, delivered.subject]);
        assert.deepEqual(
          preview.remarks.filter(({ code }) => code !== "html_as_text"),
          [],
        );
      }),
      { numRuns: 6 },
    );
    await smtp.close();
  });

  it("has the times that the user's mail, a test and a page have: in their zone, or as the value states it", async () => {
    const smtp = await startSmtp();
    const project = await sendingProject(house, smtp.port);
    const editor = await editorOf(project);
    const traits = { email: "ada@example.com", $timezone: "Pacific/Auckland" };
    const times = { ends: "2026-02-28T23:30:00Z", meets: "2026-03-01T00:30:00+13:00", born: "1990-03-01" };
    await project.sdk.identify({ body: { userId: "ada", traits: { ...traits, ...times } } });
    const text = Object.keys(times)
      .map((name) => `{{ user.${name} | date: "%-d %B" }}`)
      .join(", ");
    const here = `${text}, {{ user.meets | date: "%-d %B", "Europe/Vienna" }}`;
    const expected = "1 March, 1 March, 1 March, 28 February";
    const message = { subject: here, body: here };
    const { id } = await launchEmail(project, { message });
    await house.drain();
    await project.api.sendTestEmail({ path: { id }, body: { address: "me@example.com", userId: "ada" } });
    for (const raw of smtp.taken.map((each) => each.raw)) {
      const mail = await readMail(raw);
      assert.equal(mail.subject?.replace("[Test] ", ""), expected);
      assert.ok(mail.html?.includes(`>${expected}</p>`) && mail.text?.startsWith(`${expected}\n`));
    }
    assert.equal(smtp.taken.length, 2);
    const mail = await editor.previewMessage({ body: { channel: "email", message, userId: "ada" } });
    assert.ok(mail.channel === "email" && mail.subject === expected);
    const modal = { presentation: "modal", body: here } as const;
    await launchCampaign(project, { message: modal });
    const served = await messagesOf(project, "ada");
    const page = await editor.previewMessage({
      body: { channel: "web_inapp", message: modal, userId: "ada" },
    });
    assert.ok(page.channel === "web_inapp");
    assert.deepEqual(
      [served[0]?.content, page.content].map((content) => content && "body" in content && content.body),
      [expected, expected],
    );
    const refused = project.api.createCampaign({
      body: {
        name: "N",
        channel: "email",
        message: { subject: 'x {{ user.ends | date: "%d", "Vienna" }}', body: "x" },
      },
    });
    const { body } = await refusal(refused);
    assert.match(
      (body as { error: string }).error,
      /^message\.subject must not use the time zone Vienna in .*: write its name, such as "Europe\/Vienna"$/,
    );
    await smtp.close();
  });

  it("of a push is what the device gets, in the payload of each provider", async () => {
    const project = await house.project();
    const editor = await editorOf(project);
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada" } } });
    const message = {
      title: "Hello {{ user.name }}",
      body: "News",
      destination: { kind: "app" as const, url: "acme://news" },
    };
    const preview = (userId: string | undefined, body = message.body) =>
      editor.previewMessage({
        body: { channel: "push", message: { ...message, body }, ...(userId !== undefined && { userId }) },
      });
    const shown = await preview("ada");
    assert.ok(shown.channel === "push");
    assert.equal(shown.content?.title, "Hello Ada");
    const [ios, android] = shown.payloads.map(({ payload }) => JSON.parse(payload ?? ""));
    assert.deepEqual(ios.aps.alert, { title: "Hello Ada", body: "News" });
    assert.deepEqual(JSON.parse(android.tidings).content, { ...message, title: "Hello Ada" });
    const codes = ({ remarks }: typeof shown) => remarks.map(({ severity, code }) => [severity, code]);
    const without = await preview(undefined);
    assert.ok(without.channel === "push");
    assert.deepEqual([without.content, codes(without)], [null, [["error", "trait_missing"]]]);
    const large = await preview("ada", "x".repeat(2_000).replaceAll("x", "äö").slice(0, 2_048));
    assert.ok(large.channel === "push");
    assert.deepEqual(
      large.payloads.map(({ platform, payload }) => [platform, payload]),
      [
        ["ios", null],
        ["android", null],
        ["web", null],
      ],
    );
    assert.deepEqual(codes(large), [
      ["error", "too_large"],
      ["error", "too_large"],
      ["warning", "too_large"],
    ]);
  });

  it("says what is missing, and which field is wrong", async () => {
    const project = await house.project();
    const editor = await editorOf(project);
    const email = { subject: "Hi {{ user.nmae }}", body: "Text" };
    const preview = await editor.previewMessage({ body: { channel: "email", message: email } });
    assert.ok(preview.channel === "email");
    assert.equal(preview.to, "user@example.com");
    assert.deepEqual(
      preview.remarks.map(({ code, path }) => [code, path]),
      [
        ["channel_not_ready", ""],
        ["unobserved_trait", "/message/subject"],
      ],
    );
    const empty = await editor.previewMessage({
      body: { channel: "web_inapp", message: { presentation: "toast", title: "{{ user.name }}" } },
    });
    assert.ok(empty.channel === "web_inapp");
    assert.deepEqual([empty.content, empty.remarks[0]?.code], [null, "no_text"]);
    for (const [channel, message, pattern] of [
      ["web_inapp", { presentation: "toast" }, /^message must have a title or a body/],
      ["web_inapp", email, /^message\./],
      ["email", { ...email, subject: " " }, /^message\.subject must not be blank/],
      ["email", { ...email, body: "{{ user.name | nothing }}" }, /^message\.body /],
      ["push", { title: "Hi", body: "\u0000" }, /^message\./],
    ] as const) {
      const { status, body } = await refusal(
        editor.previewMessage({ body: { channel, message: message as never } }),
      );
      assert.equal(status, 400);
      assert.match((body as { error: string }).error, pattern);
    }
    const other = await house.project();
    await other.sdk.identify({ body: { userId: "grace", traits: {} } });
    const refused = editor.previewMessage({
      body: { channel: "web_inapp", message: toast(), userId: "grace" },
    });
    assert.equal((await refusal(refused)).status, 404);
  });
});

describe("a review", () => {
  it("says what a change would do, and does none of it", async () => {
    const project = await house.project();
    const editor = await editorOf(project);
    const { id, variants } = await launchCampaign(project, { message: toast("One two three") });
    await messagesOf(project, "ada");
    await messagesOf(project, "grace");
    const before = await editor.getCampaign({ path: { id } });
    const audience = {
      kind: "expression" as const,
      expression: { version: 1 as const, root: { kind: "event" as const, event: "bought" } },
    };
    const variantId = variants[0]?.id ?? "";
    const patch = {
      name: "Other",
      audience,
      variants: [
        { id: variantId, message: toast("One 2 three") },
        { message: toast("New"), weight: 3 },
      ],
    };
    const review = await editor.reviewCampaign({ path: { id }, body: { patch } });
    const changed = new Map(review.changes.map(({ path, before: was, after: is }) => [path, [was, is]]));
    assert.deepEqual(changed.get("name"), ["Campaign", "Other"]);
    assert.deepEqual(changed.get("audience"), ["all users", "performed bought"]);
    assert.deepEqual(changed.get(`variants[${variantId}].message.title`), ["One two three", "One 2 three"]);
    assert.equal([...changed].filter(([path]) => path.endsWith(".weight")).length, 1);
    assert.deepEqual(
      review.texts
        .find(({ path }) => path.endsWith(".title"))
        ?.ops.map(({ op, words }) => [op, words.trim()]),
      [
        ["keep", "One"],
        ["delete", "two"],
        ["insert", "2"],
        ["keep", "three"],
      ],
    );
    const { summary, ...counts } = review.audience;
    assert.deepEqual(
      [summary, counts],
      ["performed bought", { matched: 0, delivered: 2, left: 0, visitors: 0 }],
    );
    assert.deepEqual(await editor.getCampaign({ path: { id } }), before);
    assert.deepEqual((await editor.listAuditEntries({})).entries, []);
    assert.deepEqual((await editor.reviewCampaign({ path: { id }, body: {} })).changes, []);
  });

  it("refuses what PATCH would refuse, and another project's campaign", async () => {
    const project = await house.project();
    const editor = await editorOf(project);
    const { campaign } = await editor.createCampaign({ body: { name: "Draft", message: toast() } });
    const path = { id: campaign.id };
    for (const [patch, status, pattern] of [
      [{ goalId: "goal_019b0000-0000-7000-8000-000000000000" }, 400, /goalId/],
      [{ deliverFrom: 2, deliverUntil: 1 }, 400, /deliver/],
      [{ variants: [{ id: campaign.variants[0]?.id ?? "", weight: 0 }] }, 400, /weight above 0/],
      [{ name: "x", expectedRevision: "old" }, 409, /expectedRevision is stale/],
    ] as const) {
      const refused = await refusal(editor.reviewCampaign({ path, body: { patch: patch as never } }));
      assert.equal(refused.status, status);
      assert.match((refused.body as { error: string }).error, pattern);
    }
    const stranger = await editorOf(await house.project());
    assert.equal((await refusal(stranger.reviewCampaign({ path, body: {} }))).status, 404);
    assert.deepEqual((await editor.getCampaign({ path })).campaign, campaign);
  });

  it("says why a launch would be refused, and launches nothing", async () => {
    const project = await house.project();
    const editor = await editorOf(project);
    const guardrails = { forbiddenPhrases: ["hurry"], maxActiveCampaigns: 3 };
    const { goal } = await project.api.createGoal({ body: { name: "Upgrades", guardrails } });
    const draft = async (body: object) => {
      const made = await editor.createCampaign({
        body: { name: "Draft", goalId: goal.id, message: toast("Take your time"), ...body },
      });
      return made.campaign;
    };
    const launching = async (id: string, patch?: object) =>
      editor.reviewCampaign({
        path: { id },
        body: { launch: true, ...(patch && { patch: patch as never }) },
      });
    const fine = await draft({});
    const review = await launching(fine.id);
    assert.equal(review.refusal, null);
    assert.deepEqual(
      review.guardrails.map(({ key, limit, observed }) => [key, limit, observed]),
      [
        ["maxActiveCampaigns", 3, 0],
        ["forbiddenPhrases", 0, 0],
      ],
    );
    const mail = await draft({ channel: "email", message: { subject: "Hi", body: "Text" } });
    assert.equal((await launching(mail.id)).refusal?.reason, "channel_not_ready");
    const over = await launching(fine.id, { deliverUntil: house.now() + 1 });
    assert.equal(over.refusal, null);
    assert.equal((await refusal(launching(fine.id, { message: toast("Hurry up") }))).status, 409);
    assert.deepEqual((await editor.getCampaign({ path: { id: fine.id } })).campaign, fine);
    await editor.setCampaignStatus({ path: { id: fine.id }, body: { action: "launch" } });
    assert.match((await launching(fine.id)).refusal?.message ?? "", /running already/);
  });
});
