import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { claim, decideAs, LAUNCH, makeGoal, mutate, propose } from "../../../../test/agent.ts";
import { launchEmail, people, sendingProject } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { clientOf } from "../../../../test/people.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));
const smtp = await startSmtp();
after(() => smtp.close());

/** The HTML of a mail that a server took, decoded as RFC 2045 says, as bytes. */
function htmlOf(raw: Buffer | undefined): Buffer {
  const [, part = ""] = (raw?.toString("latin1") ?? "").split(/Content-Type: text\/html[\s\S]*?\r\n\r\n/);
  const [encoded = ""] = part.split("\r\n--=_tidings--");
  const decoded = encoded
    .replaceAll("=\r\n", "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, "latin1");
}

/** As long as personal values are thought to be. */
const LONG = "x".repeat(100);

const LINKS = Array.from(
  { length: 190 },
  (_, index) => `[Story ${index}](https://shop.example/stories/${index}?of=a&reader={{ user.plan }})`,
).join("\n\n");

/** A long mail for a user with long traits; `filler` bytes longer than without. */
const long = (filler: number) => ({
  subject: "News",
  body: `Dear {{ user.first_name | default: "reader" | upcase }},\n\n${LINKS}\n\n${"a".repeat(filler)} 🎉`,
  cta: { label: "{{ user.first_name }}", url: "https://shop.example/{{ user.first_name }}" },
});

async function projectWithReader(): Promise<TestProject> {
  const project = await sendingProject(house, smtp.port, { "email.capMax": "100" });
  await people(project, ["ada"]);
  await project.sdk.identify({ body: { userId: "ada", traits: { first_name: LONG, plan: LONG } } });
  return project;
}

/** The HTML that the reader gets, and what the answers say of the message's size before. */
async function deliver(project: TestProject, message: ReturnType<typeof long>) {
  const { warnings = [] } = await project.api.createCampaign({
    body: { name: "News", channel: "email", message },
  });
  const before = smtp.taken.length;
  await launchEmail(project, { message });
  await house.drain();
  const html = htmlOf(smtp.taken[before]?.raw);
  return { html, found: warnings.filter(({ code }) => code === "gmail_clips") };
}

describe("a mail that is too long for Gmail", () => {
  it("is warned of from 100,000 bytes of its HTML on, as a reader with long values gets it", async () => {
    const project = await projectWithReader();
    const first = await deliver(project, long(100));
    const missing = 100_000 - first.html.length;
    assert.ok(missing > 100 && first.found.length === 0, `${missing} bytes are left`);
    const under = await deliver(project, long(100 + missing - 1));
    assert.deepEqual([under.html.length, under.found], [99_999, []]);
    const over = await deliver(project, long(100 + missing));
    assert.equal(over.html.length, 100_000);
    assert.deepEqual(over.found, [
      {
        severity: "warning",
        code: "gmail_clips",
        path: "/message/body",
        message:
          "With long personal values this mail has 100 kB of HTML. Gmail shows the first 102 kB of a mail.",
      },
    ]);
  });

  it("says which of the link to unsubscribe and the count of opens lie beyond what is shown", async () => {
    const project = await projectWithReader();
    const { html } = await deliver(project, long(100));
    /** Where an address ends, in a mail that is `filler` bytes longer. */
    const end = (path: string) =>
      html.indexOf(`/${path}"`, html.lastIndexOf("</td></tr>") - 1_000) + path.length + 1 - 100;
    const [unsubscribe, opens] = [end("unsubscribe"), end("open.gif")];
    assert.ok(0 < unsubscribe && unsubscribe < opens);
    for (const [filler, hidden] of [
      [102_000 - opens, ""],
      [102_001 - opens, ", the picture that counts opens among it"],
      [102_000 - unsubscribe, ", the picture that counts opens among it"],
      [102_001 - unsubscribe, ", the link to unsubscribe and the picture that counts opens among it"],
    ] as const) {
      const { found } = await deliver(project, long(filler));
      const rest = `: Gmail shows the first 102 kB and hides the rest behind a link${hidden}.`;
      assert.equal(found[0]?.message, `With long personal values this mail has 102 kB of HTML${rest}`);
    }
  });

  it("is warned of in each variant, wherever a message is given, tested, shown or launched", async () => {
    const project = await projectWithReader();
    const { api } = project;
    const path = (id: string) => ({ path: { id } });
    const short = { subject: "Short", body: "Short" };
    const pathsIn = ({ warnings = [] }: { warnings?: { code: string; path: string }[] }) =>
      warnings.filter(({ code }) => code === "gmail_clips").map((each) => each.path);
    const message = long(34_000);
    const variants = [{ message: short }, { message }, { message }];
    const made = await api.createCampaign({ body: { name: "News", channel: "email", variants } });
    assert.deepEqual(pathsIn(made), ["/variants/1/message/body", "/variants/2/message/body"]);
    const { id } = made.campaign;
    const [, second] = made.campaign.variants;
    const body = { address: "me@example.com", variantId: second?.id ?? "" };
    assert.deepEqual(pathsIn(await api.sendTestEmail({ ...path(id), body })), ["/body"]);
    const launched = await api.setCampaignStatus({ ...path(id), body: { action: "launch" } });
    assert.deepEqual(pathsIn(launched), ["/variants/1/content/body", "/variants/2/content/body"]);
    const change = { variants: [{ id: second?.id ?? "", message }] };
    const changed = await api.updateCampaign({ ...path(id), body: change });
    assert.deepEqual(pathsIn(changed), ["/variants/0/message/body"]);
    const { client } = await clientOf(house, project.projectId, "editor");
    const preview = await client.previewMessage({ body: { channel: "email", message } });
    assert.deepEqual(pathsIn({ warnings: preview.remarks }), ["/message/body"]);
    const push = {
      title: "Hi",
      body: "x".repeat(2_000),
      destination: { kind: "app", url: "a://b" },
    } as const;
    const shown = await client.previewMessage({ body: { channel: "push", message: push } });
    assert.deepEqual(pathsIn({ warnings: shown.remarks }), []);
  });

  it("is warned of where an agent proposes a message, changes one, or launches", async () => {
    const project = await projectWithReader();
    const { id: goalId } = await makeGoal(project);
    const message = long(34_000);
    const variants = [{ message: { subject: "Short", body: "Short" } }, { message }];
    const body = { name: "News", channel: "email", goalId, variants } as const;
    const { campaign } = await project.api.createCampaign({ body });
    const evaluationAt = house.now();
    const path = { id: campaign.id };
    await project.api.scheduleEvaluation({ path, body: { nextEvaluationAt: evaluationAt } });
    const leased = async () => {
      const { leaseToken } = await claim(project, campaign.id);
      return { id: campaign.id, evaluationAt, leaseToken };
    };
    const warnedPaths = ({ warnings = [] }: { warnings?: { path: string }[] }) =>
      warnings.map((each) => each.path);
    const mutation = {
      type: "update" as const,
      variants: [{ id: campaign.variants[0]?.id ?? "", message }],
    };
    const placed = ["/mutation/variants/0/message/body"];
    const lease = await leased();
    const proposed = await propose(project, lease, mutation);
    assert.deepEqual(warnedPaths(proposed), placed);
    assert.deepEqual(warnedPaths(await propose(project, lease, mutation)), placed, "a repeat");
    const read = await project.agent.getProposal({ path: { id: proposed.proposal.id } });
    assert.deepEqual(warnedPaths(read), placed, "where people and programs read it");
    await decideAs(house, project, proposed.proposal.id, "approved");
    const next = await leased();
    const changed = await mutate(project, next, mutation, { approvalId: proposed.proposal.id });
    assert.deepEqual(warnedPaths(changed), placed);
    const both = ["/variants/0/content/body", "/variants/1/content/body"];
    assert.deepEqual(warnedPaths(await mutate(project, next, LAUNCH)), both);
  });

  it("is measured with the settings of the project: links that are not counted are shorter", async () => {
    const counts = await projectWithReader();
    const not = { "email.trackClicks": "false", "email.trackOpens": "false" };
    const project = await sendingProject(house, smtp.port, not);
    const body = { name: "News", channel: "email", message: long(30_000) } as const;
    const codesIn = async ({ api }: TestProject) =>
      (await api.createCampaign({ body })).warnings?.map(({ code }) => code) ?? [];
    assert.ok((await codesIn(counts)).includes("gmail_clips"));
    assert.ok(!(await codesIn(project)).includes("gmail_clips"));
  });
});

describe("HTML in the body of a mail", () => {
  it("is warned of, because it is shown as text, with the first of it", async () => {
    const project = await projectWithReader();
    const warned = async (body: string) => {
      const message = { subject: "News", body };
      const made = await project.api.createCampaign({ body: { name: "News", channel: "email", message } });
      return (made.warnings ?? []).map(({ code, path, message: text }) => [code, path, text]);
    };
    for (const [body, quoted] of [
      [
        "Hi\n\n<table><tr>\n<td>{{ user.plan }}</td></tr></table>",
        "<table><tr> <td>{{ user.plan }}</td></tr></table>",
      ],
      ["- one\n- > two <b>three</b>", "<b>"],
      ["| a |\n|-|\n| x<br>y |", "<br>"],
      ["<!-- a note -->\n\nHi", "<!-- a note -->"],
      [`<div title="${"👨‍👩‍👧‍👦".repeat(20)}">\nHi`, `<div title="${"👨‍👩‍👧‍👦".repeat(6)}…`],
    ] as const)
      assert.deepEqual(await warned(body), [
        ["html_as_text", "/message/body", `HTML is shown as text, as in ${quoted}: a body is Markdown.`],
      ]);
    for (const body of [
      "1 < 2 > 1 <3",
      "`<b>`\n\n```\n<table>\n```\n\n    <p>",
      "<https://shop.example/>",
      "\\<b>",
    ])
      assert.deepEqual(await warned(body), []);
  });
});
