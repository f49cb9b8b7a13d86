import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { simpleParser } from "mailparser";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { calendarPeriod } from "../../counting/usage/rules.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const EMAIL = { subject: "Hello", body: "Hi" };
const create = ({ api }: TestProject, body: Readonly<Record<string, unknown>>) =>
  api.createCampaign({ body: { name: "Email", channel: "email", ...body } });

describe("an email campaign's message", () => {
  const faults: readonly [Readonly<Record<string, unknown>>, string | RegExp][] = [
    [
      { message: { title: "Hi", presentation: "toast" } },
      "message.title: unknown field, known here are subject, previewText, body, cta",
    ],
    [{ message: { body: "Hi" } }, "message.subject is required"],
    [
      { message: { ...EMAIL, title: "Hi" } },
      "message.title: unknown field, known here are subject, previewText, body, cta",
    ],
    [{ message: { ...EMAIL, subject: "" } }, "message.subject must not be empty"],
    [{ message: { ...EMAIL, subject: "x".repeat(201) } }, "message.subject must be at most 200 characters"],
    [{ message: { ...EMAIL, body: "x".repeat(50_001) } }, "message.body must be at most 50000 characters"],
    [{ message: { ...EMAIL, body: "{% if x %}" } }, /^message\.body must not use \{% if %\}/],
    [
      { message: { ...EMAIL, cta: { label: "Go", url: "javascript:alert(1)" } } },
      /^message\.cta\.url must be/,
    ],
    [
      { variants: [{ message: EMAIL }, { message: { subject: "x" } }] },
      "variants[1].message.body is required",
    ],
    [{ variants: [{}] }, "variants[0].message is required"],
    [{ message: 7 }, "message must be an object"],
    [{ message: EMAIL, pages: ["/pricing"] }, "pages are for web campaigns only: leave them out"],
  ];
  for (const [body, error] of faults)
    it(`is refused: ${String(error)}`, async () => {
      const refused = await refusal(create(await house.project(), body));
      assert.equal(refused.status, 400);
      if (typeof error === "string") assert.equal(refused.error, error);
      else assert.match(refused.error, error);
    });

  it("does not fit a web campaign, nor the other way round when it is changed", async () => {
    const project = await house.project();
    const web = await refusal(project.api.createCampaign({ body: { name: "Web", message: EMAIL } }));
    assert.match(web.error, /^message\.subject: unknown field, known here are presentation, title, /);
    const { campaign } = await create(project, { message: EMAIL });
    const change = (message: object) =>
      // Whatever its shape: the campaign's channel is what decides.
      project.api.updateCampaign({ path: { id: campaign.id }, body: { message: message as typeof EMAIL } });
    assert.equal((await refusal(change({ presentation: "toast", title: "Hi" }))).status, 400);
    const changed = await change({ subject: "New", body: "*Text*", previewText: "Before" });
    assert.deepEqual(changed.campaign.variants[0]?.content, {
      subject: "New",
      body: "*Text*",
      previewText: "Before",
    });
    assert.equal(changed.campaign.pages, null);
    assert.equal(changed.campaign.channel, "email");
  });

  it("is taken with up to 50,000 characters", async () => {
    const body = "🎉 ".repeat(24_999);
    const { campaign } = await create(await house.project(), { message: { ...EMAIL, body } });
    assert.equal(campaign.variants[0]?.content.body, body);
  });
});

describe("launching", () => {
  const READY = {
    "email.from": "news@acme.example",
    "email.postalAddress": "1 Main Street",
    "email.domainVerified": "true",
    "email.smtpUrl": "smtp://127.0.0.1:1",
  };
  const missing: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
    ["a sender", { "email.from": "" }, /email\.from/],
    ["a postal address", { "email.postalAddress": "" }, /email\.postalAddress/],
    [
      "a verified domain",
      { "email.domainVerified": "false" },
      /Verify the domain acme\.example.*Email in the dashboard, under Sender/,
    ],
    ["the very domain", { "email.domainVerified": "mail.acme.example" }, /Verify the domain acme\.example/],
    ["an address that recipients reach", { "email.smtpUrl": "smtp://192.0.2.25:587" }, /^Set PUBLIC_URL/],
  ];
  for (const [what, change, pattern] of missing)
    it(`needs ${what}`, async () => {
      const project = await house.project();
      await setSettings(house, project, READY);
      await setSettings(house, project, change);
      const { campaign } = await create(project, { message: EMAIL });
      const start = project.api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "launch" } });
      const { status, error, body } = await refusal(start);
      assert.equal(status, 409);
      assert.match(error, pattern);
      assert.equal((body as { reason: string }).reason, "channel_not_ready");
      assert.equal((await project.api.getCampaign({ path: { id: campaign.id } })).campaign.status, "draft");
    });

  it("makes no half campaign where it is asked for in one step and refused", async () => {
    const project = await house.project();
    await refusal(create(project, { message: EMAIL, launch: true }));
    assert.equal((await project.api.listCampaigns({})).total, 0);
  });

  it("needs no mail server and no domain where mail is kept for looking at", async () => {
    const project = await house.project();
    await setSettings(house, project, {
      "email.from": "a@acme.example",
      "email.postalAddress": "1 Main Street",
    });
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 1);
  });
});

describe("sendTestEmail", () => {
  it("sends a draft to one address, filled in as for a user, and counts nothing", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const { campaign } = await create(project, { message: { subject: "Hi {{ user.name }}", body: "Text" } });
    const first = smtp.taken.length;
    const path = { id: campaign.id };
    await project.api.sendTestEmail({ path, body: { address: " Me@Example.com ", userId: "ada" } });
    const [taken] = smtp.taken.slice(first);
    assert.equal(taken?.to, "Me@example.com");
    const mail = await simpleParser(taken?.raw ?? "");
    assert.equal(mail.subject, "[Test] Hi ada");
    assert.equal(mail.headers.has("list-unsubscribe"), false);
    assert.doesNotMatch(taken?.raw.toString() ?? "", /\/e\//);
    assert.equal((await progressOf(project, campaign.id)).planned, 0);
  });

  it("says what is wrong", async () => {
    const peer = await startSmtp({ onRecipient: () => ({ code: 550, text: "5.1.1 No such user" }) });
    const project = await sendingProject(house, peer.port);
    const { campaign } = await create(project, { message: EMAIL });
    const send = (body: { address: string; userId?: string; variantId?: string }) =>
      refusal(project.api.sendTestEmail({ path: { id: campaign.id }, body }));
    assert.equal((await send({ address: "nobody" })).error, "address must be an email address");
    assert.equal((await send({ address: "a@b.example\r\nBcc: c@d.example" })).status, 400);
    assert.equal((await send({ address: "a@b.example", userId: "unknown" })).error, "User not found");
    assert.equal((await send({ address: "a@b.example", variantId: "var_x" })).error, "Variant not found");
    assert.match((await send({ address: "a@b.example" })).error, /5\.1\.1 No such user/);
    await peer.close();
  });
});

describe("what becomes of email", () => {
  it("converts at or after delivery, by goal and by any event", async () => {
    const project = await sendingProject(house, smtp.port);
    const { goal } = await project.api.createGoal({ body: { name: "Pay", targetEvent: "paid" } });
    await people(project, ["before", "after", "never"]);
    await project.sdk.track({ body: { userId: "before", event: "paid" } });
    house.advance(1_000);
    const { id } = await launchEmail(project, { goalId: goal.id });
    await house.drain();
    house.advance(1_000);
    await project.sdk.track({ body: { userId: "after", event: "paid" } });
    const { exposure, totals } = await project.api.getCampaignConversions({
      path: { id },
      query: { event: "paid" },
    });
    assert.equal(exposure, "deliveredAt");
    assert.deepEqual(totals, {
      exposedDeliveries: 3,
      exposedUsers: 3,
      convertedDeliveries: 1,
      convertedUsers: 1,
    });
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.equal(campaign.stats.converted, 1);
    assert.deepEqual(await house.differences(), {});
  });

  it("counts its recipients as active, once a month, and nobody it did not reach", async () => {
    const project = await sendingProject(house, smtp.port);
    await project.sdk.track({ body: { userId: "passive", event: "x" } });
    const { pool } = house.database;
    await people(project, ["ada", "ben"]);
    house.at(Date.UTC(2026, 4, 1));
    await launchEmail(project);
    await house.drain();
    await launchEmail(project);
    await house.drain();
    const { rows } = await pool.query<{ users: number }>(
      "select sum(users)::int as users from active_user_counts where project_id = $1 and period = $2",
      [project.projectId, calendarPeriod(house.now())],
    );
    assert.equal(rows[0]?.users, 2);
  });

  it("outlives its users: what was sent stays counted, their addresses are forgotten, suppressions hold", async () => {
    const peer = await startSmtp({
      onRecipient: (to) => (to.startsWith("gone") ? { code: 550, text: "5.1.1 x" } : null),
    });
    const project = await sendingProject(house, peer.port);
    await people(project, ["ada", "gone"]);
    const { id } = await launchEmail(project);
    await house.drain();
    const before = await progressOf(project, id);
    for (const name of ["ada", "gone"]) await project.api.eraseUser({ path: { id: name } });
    assert.deepEqual(await progressOf(project, id), before);
    const { rows } = await house.database.pool.query(
      `select count(*)::int as kept from email_addresses where project_id = $1 and address is not null
      union all select count(*)::int from email_sends where project_id = $1 and reason is not null
      union all select count(*)::int from email_outcomes where project_id = $1 and response is not null`,
      [project.projectId],
    );
    assert.deepEqual(
      rows.map(({ kept }) => kept),
      [0, 0, 0],
    );
    await people(project, ["gone"]);
    peer.behave({});
    const again = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, again.id)).planned, 0);
    assert.deepEqual(await house.differences(), {});
    await peer.close();
  });

  it("is not held up by users who were erased while their messages waited", async () => {
    const peer = await startSmtp({ onRecipient: () => ({ code: 451, text: "4.7.1 Later" }) });
    const project = await sendingProject(house, peer.port);
    const early = Array.from({ length: 70 }, (_, i) => `early-${i}`);
    await people(project, early);
    const { id } = await launchEmail(project);
    await house.drain();
    for (const userId of early) await project.api.eraseUser({ path: { id: userId } });
    peer.behave({});
    await people(project, ["late"]);
    house.advance(30 * 60_000);
    await house.drain();
    assert.deepEqual(
      peer.taken.map(({ to }) => to),
      ["late@example.com"],
    );
    const { waiting, failed } = await progressOf(project, id);
    assert.deepEqual({ waiting, failed }, { waiting: 0, failed: 70 });
    assert.deepEqual(await house.differences(), {});
    await peer.close();
  });

  it("takes the content that stands when it leaves", async () => {
    const project = await sendingProject(house, smtp.port, { "email.perMinute": "1" });
    await people(project, ["one", "two"]);
    const { id } = await launchEmail(project, { message: { subject: "First", body: "x" } });
    const first = smtp.taken.length;
    await house.drain();
    await project.api.updateCampaign({ path: { id }, body: { message: { subject: "Second", body: "x" } } });
    house.advance(62_000);
    await house.drain();
    const subjects = await Promise.all(
      smtp.taken.slice(first).map(async ({ raw }) => (await simpleParser(raw)).subject),
    );
    assert.deepEqual(subjects, ["First", "Second"]);
  });
});
