import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { mailCampaign, postInbound, sentMail, type TestMail } from "../../../../test/mail.ts";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { clientOf } from "../../../../test/people.ts";
import { fakeSns, type Saying } from "../../../../test/provider-mail.ts";
import { providerMakers, reportedMail } from "../../../../test/reported-mail.ts";
import { receiptTemplate, sendReceipt } from "../../../../test/requested-receipts.ts";
import { liftSuppressions } from "../addresses/lift.ts";
import { countSuppressedWithin } from "../addresses/lift-store.ts";
import {
  addressRef,
  bringStops,
  findReceiptsStopped,
  findSuppressed,
  type Stream,
  suppressAddress,
} from "../addresses/public.ts";
import type { SuppressionReason } from "../addresses/rules.ts";

const sns = await fakeSns();
after(() => sns.stop());
const house = testHouse({ snsCertOrigin: sns.origin });
const makers = providerMakers(sns);
const STREAMS: readonly Stream[] = ["campaigns", "receipts"];

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

/** Makes a campaign transactional: what leaves of it are receipts. */
const makeTransactional = ({ projectId }: TestProject, campaignId: string) =>
  house.database.pool.query(
    "update campaigns set purpose = 'transactional', key = id::text where project_id = $1 and id = $2",
    [projectId, campaignId],
  );

/** Why an address gets no mail of campaigns, and why no receipts. */
async function stopsOf({ projectId }: TestProject, address: string): Promise<[string | null, string | null]> {
  const { lane, addressKey } = addressRef(projectId, address);
  const { rows } = await house.database.pool.query<{ campaigns: string | null; receipts: string | null }>(
    `select suppressed_by as campaigns, receipts_stopped_by as receipts from email_addresses
    where lane = $1 and address_key = $2 and project_id = $3`,
    [lane, addressKey, projectId],
  );
  return [rows[0]?.campaigns ?? null, rows[0]?.receipts ?? null];
}

/** A mail of a stream that left a minute ago, reported by a provider. */
async function mailOf(stream: Stream, name: keyof typeof makers = "mailgun") {
  const reported = await reportedMail(house, makers, name);
  const { project, mail } = reported;
  if (stream === "receipts") await makeTransactional(project, mail.campaignId);
  const stops = () => stopsOf(project, mail.address);
  const editor = await clientOf(house, project.projectId, "editor");
  return { ...reported, stops, people: editor.client };
}

const stopped = ({ projectId }: TestProject, address: string, reason: SuppressionReason, stream?: Stream) =>
  suppressAddress(house.database.kysely, projectId, addressRef(projectId, address), {
    reason,
    at: house.now(),
    ...(stream && { stream }),
  });

const press = (mail: TestMail, part: string): Promise<Response> => fetch(mail.link(part), { method: "POST" });

/** A report by mail: about a message, in a part of a type. */
const byMail = (kind: string, part: string, fields: string, { messageToken }: TestMail): string =>
  `From: <reports@mx.example.net>
To: <bounces@acme.example>
Subject: A report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${kind}; boundary="b"

--b
Content-Type: text/plain

This is a report.

--b
Content-Type: message/${part}

${fields}

--b
Content-Type: message/rfc822

From: News <news@acme.example>
To: anna@example.com
Message-ID: <${messageToken}@acme.example>

Hello
--b--
`.replaceAll("\n", "\r\n");

const returnedBy = (mail: TestMail): string =>
  byMail(
    "delivery-status",
    "delivery-status",
    "Reporting-MTA: dns; mx.example.net\n\nFinal-Recipient: rfc822;anna@example.com\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 <anna@example.com>: Recipient address rejected: User unknown",
    mail,
  );
const complaintBy = (mail: TestMail): string =>
  byMail("feedback-report", "feedback-report", "Feedback-Type: abuse\nUser-Agent: X/1.0\nVersion: 1", mail);

describe("what a report stops", () => {
  type Case = [Saying, Stream, string | null, string | null];
  const cases: readonly Case[] = [
    ["permanent", "campaigns", "bounced", "bounced"],
    ["permanent", "receipts", "bounced", "bounced"],
    ["complaint", "campaigns", "complained", null],
    ["complaint", "receipts", null, "complained"],
    ["unsubscribe", "campaigns", "unsubscribed", null],
    ["unsubscribe", "receipts", "unsubscribed", null],
    ["suppressedComplained", "campaigns", "complained", null],
    ["suppressedComplained", "receipts", null, "complained"],
    ["suppressedUnsubscribed", "receipts", "unsubscribed", null],
    ["returned", "receipts", null, null],
  ];
  for (const name of ["mailgun", "postmark", "sendgrid", "ses"] as const)
    it(`of ${name}, by what and about which mail`, async () => {
      for (const [saying, stream, campaigns, receipts] of cases) {
        if (name === "postmark" && /^suppressed[A-Z]/.test(saying)) continue;
        const { say, stops } = await mailOf(stream, name);
        for (let i = 0; i < 2; i++) assert.equal((await say(saying)).status, 200);
        assert.deepEqual(await stops(), [campaigns, receipts], `${saying} about ${stream}`);
      }
      await healthy();
    });

  it("that came by mail", async () => {
    for (const stream of STREAMS) {
      const back = await mailOf(stream);
      assert.equal(await postInbound(house, returnedBy(back.mail)), 200);
      assert.deepEqual(await back.stops(), ["bounced", "bounced"], stream);
      const called = await mailOf(stream);
      assert.equal(await postInbound(house, complaintBy(called.mail)), 200);
      const expected = stream === "receipts" ? [null, "complained"] : ["complained", null];
      assert.deepEqual(await called.stops(), expected, stream);
    }
    await healthy();
  });

  it("about an address alone: a complaint that names no mail is about campaigns", async () => {
    for (const [saying, expected] of [
      ["complaint", ["complained", null]],
      ["permanent", ["bounced", "bounced"]],
    ] as const) {
      const { say, stops, mail } = await mailOf("receipts", "sendgrid");
      await say(saying, house.now(), { address: mail.address });
      assert.deepEqual(await stops(), expected);
    }
    await healthy();
  });

  it("about the mail of a user who was erased: its own stream, too", async () => {
    for (const stream of STREAMS) {
      const { project, mail, say, stops } = await mailOf(stream);
      await project.api.eraseUser({ path: { id: mail.userId } });
      await say("complaint");
      const expected = stream === "receipts" ? [null, "complained"] : ["complained", null];
      assert.deepEqual(await stops(), expected, stream);
      await say("permanent");
      assert.deepEqual(
        await stops(),
        stream === "receipts" ? ["bounced", "complained"] : ["complained", "bounced"],
      );
    }
    await healthy();
  });

  it("that is refused by the mail server itself: both", async () => {
    const smtp = await startSmtp({ onRecipient: () => ({ code: 550, text: "5.1.1 User unknown" }) });
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "ben"], "gone.example");
    await stopped(project, "ben@gone.example", "complained", "receipts");
    await launchEmail(project);
    await house.drain();
    await smtp.close();
    assert.deepEqual(await stopsOf(project, "ada@gone.example"), ["bounced", "bounced"]);
    assert.deepEqual(await stopsOf(project, "ben@gone.example"), ["bounced", "complained"]);
    await healthy();
  });

  it("comes on top of what was stopped before: a bounce stops the other stream as well", async () => {
    const { say, stops, mail, project } = await mailOf("campaigns");
    await say("complaint");
    house.advance(1_000);
    await say("permanent");
    assert.deepEqual(await stops(), ["complained", "bounced"]);
    const ofReceipts = await mailOf("receipts");
    await ofReceipts.say("complaint");
    await press(ofReceipts.mail, "unsubscribe");
    assert.deepEqual(await ofReceipts.stops(), ["unsubscribed", "complained"]);
    await ofReceipts.say("permanent");
    assert.deepEqual(await ofReceipts.stops(), ["bounced", "complained"]);
    const keys = [{ ...addressRef(project.projectId, mail.address), projectId: project.projectId }];
    for (const find of [findSuppressed, findReceiptsStopped])
      assert.equal((await find(house.database.hotPool, keys)).length, 1);
    await healthy();
  });

  it("is announced to webhooks where campaigns stop, and receipts alone are a complaint of their delivery", async () => {
    for (const [stream, types] of [
      ["campaigns", ["address.allowed", "address.suppressed", "delivery.complained"]],
      ["receipts", ["delivery.complained"]],
    ] as const) {
      const { project, people: editor, mail, say } = await mailOf(stream);
      await project.api.createWebhook({
        body: {
          url: "https://example.com/hook",
          types: ["address.suppressed", "address.allowed", "delivery.complained"],
        },
      });
      await say("complaint");
      await editor.allowEmailAddress({ body: { address: mail.address } });
      const { rows } = await house.database.pool.query<{ type: string }>(
        "select type from webhook_messages where project_id = $1 order by type",
        [project.projectId],
      );
      assert.deepEqual(
        rows.map(({ type }) => type),
        types,
      );
    }
  });
});

describe("unsubscribing", () => {
  it("stops campaigns only, also by a token of a receipt, and only campaigns come back by it", async () => {
    for (const stream of STREAMS) {
      const { mail, stops, project } = await mailOf(stream);
      assert.equal((await press(mail, "unsubscribe")).status, 200);
      assert.deepEqual(await stops(), ["unsubscribed", null]);
      await stopped(project, mail.address, "complained", "receipts");
      assert.match(await (await press(mail, "resubscribe")).text(), /You are subscribed again/);
      assert.deepEqual(await stops(), [null, "complained"], "the recipient's undo never lifts receipts");
    }
    await healthy();
  });
});

describe("the word of people", () => {
  it("stops both and lifts both, and says what it was", async () => {
    const { people: editor, stops, mail, say, project } = await mailOf("receipts");
    const body = { address: mail.address };
    await say("complaint");
    const stoppedAt = house.now();
    const { addresses } = await editor.listSuppressedAddresses({ query: { reason: "complained" } });
    const campaign = { id: `cmp_${mail.campaignId}`, name: "News" };
    assert.deepEqual(
      addresses.map(({ user, ...rest }) => ({ ...rest, user: user?.externalUserId })),
      [
        {
          address: mail.address,
          reason: null,
          suppressedAt: null,
          receiptsStoppedBy: "complained",
          receiptsStoppedAt: stoppedAt,
          by: null,
          campaign,
          user: "anna",
        },
      ],
    );
    await project.api.identify({ body: { userId: "anna", traits: { email: mail.address } } });
    assert.deepEqual(await editor.getUserMail({ path: { id: "anna" } }), {
      address: mail.address,
      isConfirmed: true,
      stop: null,
      receiptsStoppedBy: "complained",
      receiptsStoppedAt: stoppedAt,
    });
    assert.deepEqual(await editor.suppressEmailAddress({ body }), {
      ...body,
      before: "complained",
      changed: true,
    });
    assert.deepEqual(await stops(), ["manual", "complained"]);
    assert.equal((await editor.suppressEmailAddress({ body })).changed, false);
    assert.deepEqual(await editor.allowEmailAddress({ body }), { ...body, before: "manual", changed: true });
    assert.deepEqual(await stops(), [null, null]);
    // The provider says again what it said: mail was let through since.
    house.advance(1_000);
    await say("complaint");
    assert.deepEqual(await stops(), [null, null]);
    await stopped(project, mail.address, "complained", "receipts");
    const lifted = await editor.allowEmailAddress({ body });
    assert.deepEqual([lifted.before, lifted.changed], ["complained", true]);
    assert.equal((await editor.listSuppressedAddresses()).total, 0);
    await healthy();
  });

  it("has addresses in one list, each by when the mail of campaigns ended, otherwise by when receipts did", async () => {
    const { people: editor, project } = await mailOf("receipts");
    const stops: readonly [string, SuppressionReason, Stream][] = [
      ["a", "unsubscribed", "campaigns"],
      ["b", "complained", "receipts"],
      ["c", "bounced", "campaigns"],
      ["a", "complained", "receipts"],
    ];
    for (const [name, reason, stream] of stops) {
      house.advance(1_000);
      await stopped(project, `${name}@order.example`, reason, stream);
    }
    const pages = [1, 2, 3].map(async (page) => {
      const { addresses, total } = await editor.listSuppressedAddresses({ query: { page, perPage: 1 } });
      assert.equal(total, 3);
      return addresses.map(({ reason, receiptsStoppedBy }) => [reason, receiptsStoppedBy]);
    });
    assert.deepEqual((await Promise.all(pages)).flat(), [
      ["bounced", "bounced"],
      [null, "complained"],
      ["unsubscribed", "complained"],
    ]);
    const complained = await editor.listSuppressedAddresses({ query: { reason: "complained" } });
    assert.equal(complained.total, 2);
    const file = await fetch(`${house.url}/api/v1/extracts/suppressions.csv`, {
      headers: { authorization: `Bearer ${project.secretKey}` },
    });
    // The addresses are not known by their text here, so the file leaves them out, and has its columns alone.
    assert.match(await file.text(), /^address,reason,.*,receiptsStoppedBy,receiptsStoppedAt\r\n$/);
    await house.database.pool.query("delete from email_addresses where project_id = $1", [project.projectId]);
  });

  it("lifts many at once by their reason, and leaves each stream that was stopped for another one", async () => {
    const { project } = await mailOf("campaigns");
    const { projectId } = project;
    await stopped(project, "old@lift.example", "unsubscribed");
    house.advance(60_000);
    const since = house.now();
    for (const [name, reason, stream] of [
      ["both", "bounced", "campaigns"],
      ["campaigns", "complained", "receipts"],
      ["campaigns", "bounced", "campaigns"],
      ["receipts", "complained", "campaigns"],
      ["receipts", "bounced", "campaigns"],
      ["neither", "manual", "campaigns"],
      ["old", "bounced", "campaigns"],
    ] as const) {
      house.advance(1_000);
      await stopped(project, `${name}@lift.example`, reason, stream);
    }
    const chosen = { reason: "bounced", since, until: house.now() } as const;
    assert.equal(await countSuppressedWithin(house.database.kysely, projectId, chosen), 3);
    const decision = { by: "Ada", at: house.now() };
    assert.equal(await liftSuppressions(house.database.kysely, projectId, chosen, decision), 3);
    assert.equal(await liftSuppressions(house.database.kysely, projectId, chosen, decision), 0);
    const names = ["both", "campaigns", "receipts", "neither", "old"];
    assert.deepEqual(await Promise.all(names.map((name) => stopsOf(project, `${name}@lift.example`))), [
      [null, null],
      [null, "complained"],
      ["complained", null],
      ["manual", "manual"],
      // Suppressed before that time, by its own unsubscribing.
      ["bounced", "bounced"],
    ]);
    await healthy();
  });

  it("never leaves half of a bounce, whichever comes first", async () => {
    for (let round = 0; round < 10; round++) {
      const { people: editor, mail, say, stops } = await mailOf(round % 2 === 0 ? "campaigns" : "receipts");
      await say("complaint");
      const body = { address: mail.address };
      await Promise.all([say("permanent"), editor.allowEmailAddress({ body }), press(mail, "unsubscribe")]);
      const [campaigns, receipts] = await stops();
      assert.equal(campaigns === "bounced" && receipts === null, false, `${campaigns} ${receipts}`);
    }
    await healthy();
  });

  it("is taken from a file: a bounce stops both, a complaint and unsubscribing the mail of campaigns", async () => {
    const project = await house.project();
    const { projectId } = project;
    const lines = (reasons: readonly SuppressionReason[], at: number) =>
      reasons.map((reason, index) => {
        const address = `${index}@file.example`;
        return {
          ...addressRef(projectId, address),
          projectId,
          address,
          reason,
          at,
          by: "file",
          now: house.now(),
        };
      });
    const bring = async (...reasons: SuppressionReason[]) =>
      (await bringStops(house.database.hotPool, lines(reasons, house.now() - 1_000))).length;
    assert.equal(await bring("unsubscribed", "bounced", "complained", "manual"), 4);
    const all = () => Promise.all([0, 1, 2, 3].map((index) => stopsOf(project, `${index}@file.example`)));
    assert.deepEqual(await all(), [
      ["unsubscribed", null],
      ["bounced", "bounced"],
      ["complained", null],
      ["manual", "manual"],
    ]);
    assert.equal(await bring("bounced", "bounced", "bounced", "bounced"), 2);
    assert.deepEqual(await all(), [
      ["bounced", "bounced"],
      ["bounced", "bounced"],
      ["complained", "bounced"],
      ["manual", "manual"],
    ]);
    await healthy();
  });
});

describe("what leaves", () => {
  it("of a receipt goes to whoever left campaigns, and of a campaign to whoever complained of a receipt", async () => {
    const smtp = await startSmtp();
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "ben", "cleo", "dora"], "leaves.example");
    const taken = (): string[] => smtp.taken.splice(0).map(({ to }) => to.split("@")[0] ?? "");
    const { id } = await receiptTemplate(project);
    for (const name of ["ada", "ben", "cleo", "dora"])
      await sendReceipt(project, { to: { email: `${name}@leaves.example` } });
    await stopped(project, "ben@leaves.example", "unsubscribed");
    await stopped(project, "cleo@leaves.example", "complained", "receipts");
    await stopped(project, "dora@leaves.example", "bounced");
    await house.drain();
    assert.deepEqual(taken().sort(), ["ada", "ben"]);
    const { accepted, suppressed } = await progressOf(project, id);
    assert.deepEqual([accepted, suppressed], [2, 2]);
    house.advance(120_000);
    await launchEmail(project, { name: "Second" });
    await house.drain();
    assert.deepEqual(taken().sort(), ["ada", "cleo"]);
    await smtp.close();
    await healthy();
  });

  it("is one campaign's mail to one address in each stream", async () => {
    const project = await house.project();
    const campaign = await mailCampaign(house, project);
    const receipt = await mailCampaign(house, project);
    await makeTransactional(project, receipt);
    const news = await sentMail(house, project, { campaignId: campaign });
    const bill = await sentMail(house, project, { campaignId: receipt });
    house.advance(60_000);
    assert.equal(await postInbound(house, complaintBy(bill)), 200);
    assert.deepEqual(await stopsOf(project, news.address), [null, "complained"]);
    assert.equal(await postInbound(house, complaintBy(news)), 200);
    assert.deepEqual(await stopsOf(project, news.address), ["complained", "complained"]);
    await healthy();
  });
});
