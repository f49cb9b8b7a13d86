import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import {
  click,
  fateOf,
  hitsOf,
  honeypot,
  type MailOptions,
  open,
  postInbound,
  reportedBy,
  sentMail,
  suppressionOf,
  type TestMail,
} from "../../../../test/mail.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";
import { type FakeProvider, fakeSns } from "../../../../test/provider-mail.ts";
import { postReport, providerMakers } from "../../../../test/reported-mail.ts";
import { apiId } from "../../../domain/ids.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";

const sns = await fakeSns();
after(() => sns.stop());
const house = testHouse({ snsCertOrigin: sns.origin });
const makers = providerMakers(sns);

afterEach(async () => assert.deepEqual(await house.differences(), {}));

/** Mail of one campaign that Anna got on occasions 0 and 1 a minute ago, and how to see what became of each. */
async function twoMails(options: Pick<MailOptions, "goalId" | "status"> = {}, given?: TestProject) {
  const project = given ?? (await house.project());
  const first = await sentMail(house, project, options);
  const { campaignId } = first;
  const second = await sentMail(house, project, { ...options, campaignId, occasion: 1 });
  house.advance(60 * SECOND_MS);
  return {
    project,
    first,
    second,
    campaign: { id: apiId("cmp", campaignId) },
    instantsOf: async (mail: TestMail) => {
      const { state, instants } = await fateOf(house, project, mail);
      return [state, Object.keys(instants).sort().join(" ")];
    },
    counted: async () => (await fateOf(house, project, first)).counted,
    suppression: () => suppressionOf(house, project, first.address),
  };
}

const SHOP = "https://shop.example/";
const post = async (mail: TestMail, part: string): Promise<number> =>
  (await fetch(mail.link(part), { method: "POST" })).status;

/** What is kept of the hits on a message, each as its kind and who made it. */
const kindsOf = async (mail: TestMail) =>
  (await hitsOf(house, mail)).map(({ kind, bot }) => `${kind} ${bot ?? "by a person"}`);

describe("links of mail on a later occasion", () => {
  it("have a token of 70 characters, and open and click that message alone", async () => {
    const { first, second, instantsOf, counted } = await twoMails();
    const tokenIn = (mail: TestMail): string => mail.link("trap").split("/").at(-2) ?? "";
    assert.deepEqual(
      [first, second].map((mail) => tokenIn(mail).length),
      [65, 70],
    );
    assert.equal((await open(second)).status, 200);
    house.advance(SECOND_MS);
    assert.equal((await click(second)).status, 302);
    assert.deepEqual(await instantsOf(first), ["sent", "sent"]);
    assert.deepEqual(await instantsOf(second), ["clicked", "clicked delivered opened sent"]);
    assert.deepEqual(
      [await kindsOf(first), await kindsOf(second)],
      [[], ["open by a person", "click by a person"]],
    );
    assert.deepEqual(await counted(), { sent: 2, delivered: 1, opened: 1, clicked: 1 });
    await open(first);
    assert.deepEqual(await instantsOf(first), ["opened", "delivered opened sent"]);
    assert.deepEqual(await counted(), { sent: 2, delivered: 2, opened: 2, clicked: 1 });
  });

  it("are recorded for both messages at once", async () => {
    const { first, second, instantsOf, counted } = await twoMails();
    await Promise.all([first, second, second, first].map((mail) => open(mail)));
    for (const mail of [first, second])
      assert.deepEqual(await instantsOf(mail), ["opened", "delivered opened sent"]);
    assert.deepEqual(await counted(), { sent: 2, delivered: 2, opened: 2 });
    assert.deepEqual([(await hitsOf(house, first)).length, (await hitsOf(house, second)).length], [2, 2]);
  });

  it("are judged by the hits on that message alone: a program that is caught in one was none in the other", async () => {
    const { first, second, instantsOf, counted } = await twoMails();
    await click(second);
    await click(first);
    await honeypot(first);
    assert.deepEqual(await instantsOf(first), ["sent", "sent"]);
    assert.equal((await instantsOf(second))[0], "clicked");
    assert.deepEqual(await kindsOf(first), ["click trap", "trap trap"]);
    assert.deepEqual(await kindsOf(second), ["click by a person"]);
    assert.deepEqual(await counted(), { sent: 2, delivered: 1, clicked: 1 });
    // The other way round: a second link within moments is a burst in one message, and nothing where it is of another one.
    await click(second, `${SHOP}other`);
    assert.deepEqual(await kindsOf(second), ["click burst", "click burst"]);
  });

  it("are links of that message alone: no token of one is valid with the end of the other", async () => {
    const { first, second } = await twoMails();
    const [a = "", b = ""] = [first, second].map((mail) => mail.link("trap").split("/").at(-2));
    for (const token of [a.slice(0, 43) + b.slice(48), b.slice(0, 48) + a.slice(43), b.slice(0, 65)]) {
      const answer = await fetch(`${house.url}/e/${token}/unsubscribe`, { method: "POST" });
      assert.equal(answer.status, 404, token);
    }
  });

  it("unsubscribe and resubscribe the address, and say so of that message alone", async () => {
    const { project, first, second, instantsOf, counted, suppression, campaign } = await twoMails();
    assert.equal(await post(second, "unsubscribe"), 200);
    assert.equal(await suppression(), "unsubscribed");
    assert.deepEqual(await instantsOf(first), ["sent", "sent"]);
    assert.deepEqual(await instantsOf(second), ["unsubscribed", "sent unsubscribed"]);
    assert.deepEqual(await counted(), { sent: 2, unsubscribed: 1 });
    const person = await makePerson(house);
    await giveRole(house, project.projectId, person, "editor");
    const people = createPeopleClient(house.url, person.headers(project.projectId));
    for (const query of [{}, { campaignId: campaign.id }]) {
      const { addresses, total } = await people.listSuppressedAddresses({ query });
      assert.deepEqual(
        [addresses.map(({ address, reason, campaign: cause }) => [address, reason, cause?.id]), total],
        [[[first.address, "unsubscribed", campaign.id]], 1],
      );
    }
    const { stop } = await people.getUserMail({ path: { id: "anna" } });
    assert.deepEqual([stop?.reason, stop?.campaign?.id], ["unsubscribed", campaign.id]);
    assert.equal(await post(second, "resubscribe"), 200);
    assert.equal(await suppression(), null);
    // Unsubscribing by the other message is recorded of that one.
    assert.equal(await post(first, "unsubscribe"), 200);
    assert.deepEqual(await counted(), { sent: 2, unsubscribed: 2 });
  });

  it("prove that an unknown message left, of its own occasion", async () => {
    const { project, first, second } = await twoMails({ status: "unknown" });
    await open(second);
    const { rows } = await house.database.pool.query(
      "select occasion, status from email_sends where project_id = $1 order by 1",
      [project.projectId],
    );
    assert.deepEqual(rows, [
      { occasion: 0, status: "unknown" },
      { occasion: 1, status: "accepted" },
    ]);
    assert.equal((await fateOf(house, project, first)).state, "sending");
  });

  it("stop mail to their address once their user is erased, each by itself", async () => {
    const { project, first, second, suppression } = await twoMails();
    await project.api.eraseUser({ path: { id: "anna" } });
    const { rows } = await house.database.pool.query<{ messages: number }>(
      "select count(*)::int as messages from erased_messages where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ messages: 2 }]);
    for (const mail of [second, first]) {
      assert.equal(await post(mail, "unsubscribe"), 200);
      assert.equal(await suppression(), "unsubscribed");
      assert.equal(await post(mail, "resubscribe"), 200);
      assert.equal(await suppression(), null);
    }
    // Links that only measure answer as before, and record nothing.
    assert.equal((await open(second)).status, 200);
    assert.deepEqual(await hitsOf(house, second), []);
  });
});

describe("reports of mail on a later occasion", () => {
  for (const name of Object.keys(makers) as FakeProvider["name"][])
    for (const how of ["its id", "its Message-ID"] as const)
      for (const [saying, event] of [
        ["permanent", "bounced"],
        ["complaint", "complained"],
        ["unsubscribe", "unsubscribed"],
      ] as const)
        it(`${name}: ${saying} by ${how} changes that message alone, and its address`, async () => {
          const provider = makers[name]();
          const project = await house.project();
          await reportedBy(house, project, name, provider.secret);
          const { first, second, instantsOf, counted, suppression } = await twoMails({}, project);
          const about =
            how === "its id"
              ? { deliveryId: second.deliveryId }
              : { messageId: `<${second.messageToken}@acme.example>`, address: second.address };
          const reported = provider.event(saying, about, house.now() - 5 * SECOND_MS);
          const { status } = await postReport(
            house,
            `${name}/${project.projectId}`,
            provider.post([reported], house.now()),
          );
          assert.equal(status, 200);
          assert.deepEqual(await instantsOf(first), ["sent", "sent"]);
          assert.deepEqual(await instantsOf(second), [event, [event, "sent"].sort().join(" ")]);
          assert.equal(await suppression(), event);
          assert.deepEqual(await counted(), { sent: 2, [event]: 1 });
        });

  /** What a mail server sends back (RFC 3464) of a message. */
  const returned = (mail: TestMail): string =>
    `From: MAILER-DAEMON@mx.example.net
To: bounces@acme.example
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822;${mail.address}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 User unknown

--b
Content-Type: message/rfc822

From: News <news@acme.example>
To: ${mail.address}
Message-ID: <${mail.messageToken}@acme.example>
Subject: Hello

Hi
--b--
`.replaceAll("\n", "\r\n");

  it("that come back as mail change that message alone", async () => {
    const { first, second, instantsOf, suppression } = await twoMails();
    assert.equal(second.messageToken.length, 70);
    assert.equal(await postInbound(house, returned(second)), 200);
    assert.deepEqual(await instantsOf(first), ["sent", "sent"]);
    assert.deepEqual(await instantsOf(second), ["bounced", "bounced sent"]);
    assert.equal(await suppression(), "bounced");
  });

  it("are counted for each message: many of one leave the other one its own", async () => {
    const { first, second } = await twoMails();
    const most = house.tidings.app.config.limits.reportsPerMessage;
    for (let report = 0; report < most; report++)
      assert.equal(await postInbound(house, returned(first)), 200);
    assert.equal(await postInbound(house, returned(first)), 429);
    assert.equal(await postInbound(house, returned(second)), 200);
  });

  it("of both messages in one post are recorded of each", async () => {
    const provider = makers.sendgrid();
    const project = await house.project();
    await reportedBy(house, project, "sendgrid", provider.secret);
    const { first, second, instantsOf, counted } = await twoMails({}, project);
    const at = house.now() - 5 * SECOND_MS;
    const events = [
      provider.event("delivered", { deliveryId: first.deliveryId }, at),
      provider.event("delivered", { deliveryId: second.deliveryId }, at),
      provider.event("complaint", { deliveryId: second.deliveryId }, at),
      provider.event("delivered", { deliveryId: second.deliveryId }, at),
    ];
    await postReport(house, `sendgrid/${project.projectId}`, provider.post(events, house.now()));
    assert.deepEqual(await instantsOf(first), ["delivered", "delivered sent"]);
    assert.deepEqual(await instantsOf(second), ["complained", "complained delivered sent"]);
    assert.deepEqual(await counted(), { sent: 2, delivered: 2, complained: 1 });
  });
});
