import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { simpleParser } from "mailparser";
import { until } from "../../../../../test/commands/spawned.ts";
import { launchEmail, people, progressOf, sendingProject } from "../../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { suppressionOf } from "../../../../../test/mail.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const NOTHING = {
  planned: 0,
  waiting: 0,
  sending: 0,
  accepted: 0,
  unknown: 0,
  failed: 0,
  frequencyCapped: 0,
  suppressed: 0,
};

const deliveriesOf = async ({ api }: TestProject, id: string) =>
  (await api.listCampaignDeliveries({ path: { id }, query: { perPage: 100 } })).deliveries;

const statsOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign.stats;

describe("an email campaign", () => {
  it("reaches everyone with an address once, filled in for each", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "ben", "cleo"]);
    await project.sdk.identify({ body: { userId: "nobody" } });
    await project.sdk.identify({ body: { userId: "wrong", traits: { email: "not an address" } } });
    const first = smtp.taken.length;
    const { id } = await launchEmail(project);
    await house.drain();
    const taken = smtp.taken.slice(first);
    assert.deepEqual(taken.map(({ to }) => to).sort(), [
      "ada@example.com",
      "ben@example.com",
      "cleo@example.com",
    ]);
    const mail = await simpleParser(taken.find(({ to }) => to === "ada@example.com")?.raw ?? "");
    assert.equal(mail.subject, "Hello ada");
    assert.match(mail.text ?? "", /Hi ada!/);
    assert.equal(mail.from?.text, '"Acme News" <news@acme.example>');
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 3, accepted: 3 });
    const { sent, delivered, frequencyCapped } = await statsOf(project, id);
    assert.deepEqual({ sent, delivered, frequencyCapped }, { sent: 3, delivered: 3, frequencyCapped: 0 });
    for (const delivery of await deliveriesOf(project, id)) {
      assert.equal(delivery.state, "delivered");
      assert.equal(delivery.sentAt, house.now());
      assert.equal(delivery.deliveredAt, house.now());
    }
    await house.drain();
    assert.equal(smtp.taken.length, first + 3);
  });

  it("finds users who come to match while it runs, and none of them twice", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["early"]);
    const first = smtp.taken.length;
    const { id } = await launchEmail(project, { targeting: { traits: { name: "late" } } });
    await house.drain();
    assert.equal(smtp.taken.length, first);
    await people(project, ["late"]);
    await house.drain();
    assert.equal(smtp.taken.length, first, "the next pass is a minute away");
    house.advance(MINUTE_MS + 1_000);
    await house.drain();
    assert.deepEqual(
      smtp.taken.slice(first).map(({ to }) => to),
      ["late@example.com"],
    );
    house.advance(HOUR_MS);
    await house.drain();
    assert.equal(smtp.taken.length, first + 1);
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 1, accepted: 1 });
  });

  it("waits for its window, and stops at its end", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const first = smtp.taken.length;
    const from = house.now() + HOUR_MS;
    const { id } = await launchEmail(project, { deliverFrom: from, deliverUntil: from + HOUR_MS });
    await house.drain();
    assert.equal(smtp.taken.length, first);
    house.at(from);
    await house.drain();
    assert.equal(smtp.taken.length, first + 1);
    await people(
      project,
      ["too late"].map((name) => name.replace(" ", "-")),
    );
    house.at(from + HOUR_MS);
    await house.drain();
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 1, accepted: 1 });
  });

  it("sends nothing while paused, and nothing ever once ended", async () => {
    const project = await sendingProject(house, smtp.port, { "email.perMinute": "1" });
    await people(project, ["a", "b", "c"]);
    const first = smtp.taken.length;
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal(smtp.taken.length, first + 1);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    house.advance(2 * MINUTE_MS);
    await house.drain();
    assert.equal(smtp.taken.length, first + 1);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await house.drain();
    assert.equal(smtp.taken.length, first + 2);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    house.advance(2 * MINUTE_MS);
    await house.drain();
    assert.equal(smtp.taken.length, first + 2);
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 3, accepted: 2 });
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

describe("what a mail server answers", () => {
  const outcomes: readonly [string, Parameters<SmtpPeer["behave"]>[0], object, string][] = [
    [
      "an address that does not exist bounces",
      { onRecipient: () => ({ code: 550, text: "5.1.1 No such user here" }) },
      { failed: 1 },
      "bounced",
    ],
    [
      "an address that does not exist bounces after the message as well",
      { onMessage: () => ({ code: 550, text: "5.1.1 No such user here" }) },
      { failed: 1 },
      "bounced",
    ],
    [
      "an address that does not exist bounces when only words say it",
      {
        onMessage: () => ({
          code: 554,
          text: "delivery error: dd This user doesn't have a mail.example account",
        }),
      },
      { failed: 1 },
      "bounced",
    ],
    [
      "a recipient who is refused for the sender's DMARC fails",
      { onRecipient: () => ({ code: 550, text: "5.7.26 Unauthenticated mail is not accepted" }) },
      { failed: 1 },
      "failed",
    ],
    [
      "a recipient who is refused without a reason fails",
      { onRecipient: () => ({ code: 550, text: "Rejected" }) },
      { failed: 1 },
      "failed",
    ],
    [
      "a server that does not relay for us keeps the message waiting",
      { onRecipient: (to) => ({ code: 554, text: `5.7.1 <${to}>: Relay access denied` }) },
      { waiting: 1 },
      "retryable",
    ],
    [
      "a refused message fails",
      { onMessage: () => ({ code: 554, text: "5.7.1 Looks like spam" }) },
      { failed: 1 },
      "failed",
    ],
    [
      "a recipient who is refused for now waits",
      { onRecipient: () => ({ code: 451, text: "4.7.1 Greylisted, come back" }) },
      { waiting: 1 },
      "retryable",
    ],
    [
      "a message that is refused for now waits",
      { onMessage: () => ({ code: 452, text: "4.2.2 Mailbox full" }) },
      { waiting: 1 },
      "retryable",
    ],
    [
      "a connection lost before the message waits",
      { onRecipient: () => "drop" },
      { waiting: 1 },
      "retryable",
    ],
    ["a connection lost after it is unknown", { onMessage: () => "drop" }, { unknown: 1 }, "sending"],
  ];
  for (const [name, behaviour, counts, state] of outcomes) {
    it(name, async () => {
      const peer = await startSmtp(behaviour);
      const project = await sendingProject(house, peer.port);
      await people(project, ["ada"]);
      const { id } = await launchEmail(project);
      await house.drain();
      assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 1, ...counts });
      assert.deepEqual(
        (await deliveriesOf(project, id)).map((each) => each.state),
        [state],
      );
      assert.equal((await statsOf(project, id)).sent, 0);
      const stopped = await suppressionOf(house, project, "ada@example.com");
      assert.equal(stopped, state === "bounced" ? "bounced" : null);
      assert.deepEqual(await house.differences(), {});
      await peer.close();
    });
  }

  it("holds everything back while the server does not relay for us, says why, and goes on", async () => {
    const peer = await startSmtp({
      onRecipient: (to) => ({ code: 554, text: `5.7.1 <${to}>: Relay access denied` }),
    });
    const project = await sendingProject(house, peer.port);
    const ids = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    await people(project, ids);
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, id)).waiting, 12);
    const { fault } = await project.api.getCampaignEmail({ path: { id } });
    assert.match(fault?.message ?? "", /Relay access denied/);
    peer.behave({});
    house.advance(10 * MINUTE_MS);
    await house.drain();
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 12, accepted: 12 });
    assert.deepEqual(await house.differences(), {});
    await peer.close();
  });

  it("tries six times over about a day, then gives up", async () => {
    let tries = 0;
    const peer = await startSmtp({
      onRecipient: () => {
        tries++;
        return { code: 450, text: "4.2.1 Not now" };
      },
    });
    const project = await sendingProject(house, peer.port);
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    const start = house.now();
    const triedAfter: number[] = [];
    const nextDue = async (): Promise<number | null> => {
      const waiting = house.database.kysely.selectFrom("emailSends").where("status", "=", "waiting");
      const found = await waiting
        .select("dueAt")
        .where("projectId", "=", project.projectId)
        .executeTakeFirst();
      return found?.dueAt ?? null;
    };
    while (house.now() < start + 40 * HOUR_MS) {
      const before = tries;
      await house.drain();
      if (tries > before) triedAfter.push(house.now() - start);
      const due = await nextDue();
      if (due === null || due <= house.now() + 1) {
        house.advance(due === null ? HOUR_MS : 5 * MINUTE_MS);
        continue;
      }
      const tried = tries;
      house.at(due - 1);
      await house.drain();
      assert.equal(tries, tried, "nothing leaves before it is due");
      house.at(due);
    }
    assert.equal(tries, 6);
    const last = triedAfter.at(-1) ?? 0;
    assert.ok(last > 18 * HOUR_MS && last < 30 * HOUR_MS, `${last / HOUR_MS} h`);
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 1, failed: 1 });
    await peer.close();
  });

  it("never sends an unknown one again by itself", async () => {
    let messages = 0;
    const peer = await startSmtp({
      onMessage: () => {
        messages++;
        return "drop";
      },
    });
    const project = await sendingProject(house, peer.port);
    await people(project, ["ada"]);
    await launchEmail(project);
    await house.drain();
    peer.behave({});
    for (let i = 0; i < 30; i++) {
      house.advance(HOUR_MS);
      await house.drain();
    }
    assert.equal(messages, 1);
    assert.equal(peer.taken.length, 0);
    await peer.close();
  });

  it("works through a server that takes one message per connection", async () => {
    const peer = await startSmtp({ oneMessagePerConnection: true });
    const project = await sendingProject(house, peer.port);
    const ids = Array.from({ length: 40 }, (_, i) => `user-${i}`);
    await people(project, ids);
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal(new Set(peer.taken.map(({ to }) => to)).size, 40);
    assert.equal(peer.taken.length, 40);
    assert.deepEqual(await progressOf(project, id), { ...NOTHING, planned: 40, accepted: 40 });
    await peer.close();
  });

  it("lets one project wait for a slow server, and no other project with it", async () => {
    const release = Promise.withResolvers<null>();
    const slow = await startSmtp({ onMessage: () => release.promise });
    const quick = await startSmtp();
    const [late, early] = [await sendingProject(house, slow.port), await sendingProject(house, quick.port)];
    await people(late, ["a", "b", "c"]);
    const first = await launchEmail(late);
    const draining = house.drain();
    await until(async () => (await progressOf(late, first.id)).sending === 3, "the slow server has them");
    await people(early, ["x"]);
    const second = await launchEmail(early);
    await until(
      async () => (await progressOf(early, second.id)).accepted === 1,
      "the quick server took its message",
    );
    assert.equal((await progressOf(late, first.id)).accepted, 0);
    release.resolve(null);
    await draining;
    assert.equal((await progressOf(late, first.id)).accepted, 3);
    assert.equal(slow.taken.length, 3);
    await Promise.all([slow.close(), quick.close()]);
  });

  it("holds everything back while the server cannot be reached, says why, and goes on", async () => {
    const peer = await startSmtp();
    const { port } = peer;
    await peer.close();
    const project = await sendingProject(house, port);
    await people(project, ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]);
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, id)).waiting, 12);
    const { fault } = await project.api.getCampaignEmail({ path: { id } });
    assert.match(fault?.message ?? "", /ECONNREFUSED/);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("readiness", () => {
  it("refuses to launch what cannot be sent, and says what is missing", async () => {
    const project = await house.project();
    const { status, error, body } = await refusal(launchEmail(project));
    assert.equal(status, 409);
    assert.match(error, /email\.from/);
    assert.equal((body as { reason: string }).reason, "channel_not_ready");
  });
});
