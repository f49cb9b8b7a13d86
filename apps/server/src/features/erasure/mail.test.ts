import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../../test/commands/spawned.ts";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../test/email.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { sentMail, suppressionOf, type TestMail } from "../../../test/mail.ts";
import { type SmtpBehaviour, startSmtp } from "../../../test/peers/smtp.ts";
import { addressRef, allowAddress, listSuppressions } from "../email/addresses/public.ts";
import { recordReports } from "../email/feedback/report.ts";

const house = testHouse();

const post = async (mail: TestMail, part: string) => {
  const answer = await fetch(mail.link(part), { method: "POST" });
  return { status: answer.status, page: await answer.text() };
};

const erase = ({ api }: TestProject, id: string) => api.eraseUser({ path: { id } });

describe("mail whose user was erased", () => {
  it("can be unsubscribed from: nothing goes to its address any more, until its reader comes back", async () => {
    const peer = await startSmtp();
    const project = await sendingProject(house, peer.port);
    const mail = await sentMail(house, project);
    await erase(project, "anna");
    house.advance(10_000);
    assert.equal((await post(mail, "unsubscribe")).status, 200);
    assert.equal(await suppressionOf(house, project, mail.address), "unsubscribed");
    await project.sdk.identify({ body: { userId: "another id", traits: { email: mail.address } } });
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, id)).planned, 0);
    assert.equal((await post(mail, "resubscribe")).status, 200);
    assert.equal(await suppressionOf(house, project, mail.address), null);
    assert.equal(peer.taken.length, 0);
    await peer.close();
  });

  it("is not said to be unsubscribed from where nothing is known of it", async () => {
    const project = await house.project();
    const mail = await sentMail(house, project);
    await erase(project, "anna");
    await house.database.pool.query("delete from erased_messages where project_id = $1", [project.projectId]);
    const { status, page } = await post(mail, "unsubscribe");
    assert.equal(status, 404);
    assert.match(page, /This link does not work/);
  });

  for (const event of ["bounced", "complained"] as const)
    it(`stops mail to its address once where it is ${event}`, async () => {
      const project = await house.project();
      const { projectId } = project;
      const mail = await sentMail(house, project);
      await erase(project, "anna");
      const { lane, userKey, campaignId, occasion } = mail;
      const report = { lane, userKey, campaignId, occasion, event, stops: event, at: house.now() };
      const tell = (reports: readonly (typeof report)[]) =>
        recordReports(house.tidings.app, reports, { projectId, name: "test", now: house.now() });
      assert.equal(await tell([report, report]), 2);
      assert.equal(await suppressionOf(house, project, mail.address), event);
      // A person has allowed the address since. A repeated report does not suppress it again.
      const to = addressRef(projectId, mail.address);
      await allowAddress(house.database.kysely, projectId, to, { at: house.now() });
      await tell([report]);
      assert.equal(await suppressionOf(house, project, mail.address), null);
      assert.deepEqual(await house.differences(), {});
    });

  it("keeps nothing that leads to who they were", async () => {
    const project = await house.project();
    const mail = await sentMail(house, project);
    await erase(project, "anna");
    const { rows } = await house.database.pool.query<{ text: string }>(
      "select row_to_json(m)::text as text from erased_messages m where project_id = $1",
      [project.projectId],
    );
    assert.equal(rows.length, 1);
    for (const trace of [mail.userKey, mail.campaignId, mail.address, "anna"])
      assert.ok(!rows[0]?.text.includes(trace), trace);
  });
});

describe("mail that is on the wire while its user is erased", () => {
  async function duringErasure(behaviour: (arrived: () => Promise<void>) => SmtpBehaviour) {
    const release = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const peer = await startSmtp(
      behaviour(async () => {
        arrived.resolve();
        await release.promise;
      }),
    );
    const project = await sendingProject(house, peer.port);
    await people(project, ["anna"]);
    const { id } = await launchEmail(project);
    const draining = house.drain();
    try {
      await arrived.promise;
      await erase(project, "anna");
      assert.equal((await progressOf(project, id)).sending, 1);
    } finally {
      release.resolve();
    }
    await draining;
    await until(async () => (await progressOf(project, id)).sending === 0, "the answer is written");
    const { stats } = (await project.api.getCampaign({ path: { id } })).campaign;
    const { rows } = await house.database.pool.query(
      "select s.reason, s.moved_from, o.response from email_sends s left join email_outcomes o using (lane, user_key, campaign_id) where s.project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ reason: null, moved_from: null, response: null }]);
    assert.deepEqual(await house.differences(), {});
    await peer.close();
    return { project, progress: await progressOf(project, id), stats };
  }

  it("was accepted, where the server takes it", async () => {
    const { progress, stats } = await duringErasure((arrived) => ({
      onMessage: async () => {
        await arrived();
        return null;
      },
    }));
    assert.deepEqual([progress.accepted, progress.unknown, stats.sent], [1, 0, 1]);
  });

  it("stops mail to its address, where the server knows no such", async () => {
    const { project, progress } = await duringErasure((arrived) => ({
      onRecipient: async () => {
        await arrived();
        return { code: 550, text: "5.1.1 anna@example.com: no such user" };
      },
    }));
    assert.deepEqual([progress.failed, progress.unknown], [1, 0]);
    assert.equal(await suppressionOf(house, project, "anna@example.com"), "bounced");
  });
});

describe("an address of two users", () => {
  it("stays where the other one is there, and comes back with the next message", async () => {
    const peer = await startSmtp();
    const project = await sendingProject(house, peer.port, { "email.capMax": "10" });
    const address = "shared@example.com";
    const addressOf = async () => {
      const { lane, addressKey } = addressRef(project.projectId, address);
      const { rows } = await house.database.pool.query<{ address: string | null }>(
        "select address from email_addresses where lane = $1 and address_key = $2",
        [lane, addressKey],
      );
      return rows[0]?.address;
    };
    const join = (userId: string) => project.sdk.identify({ body: { userId, traits: { email: address } } });
    await join("anna");
    await join("ben");
    await launchEmail(project);
    await house.drain();
    assert.equal(peer.taken.length, 2);
    await erase(project, "anna");
    assert.equal(await addressOf(), address);
    await erase(project, "ben");
    assert.equal(await addressOf(), null);
    await join("anna");
    await launchEmail(project);
    await house.drain();
    assert.ok(peer.taken.length > 2);
    assert.equal(await addressOf(), address);
    const mail = await sentMail(house, project, { userId: "anna", address });
    await post(mail, "unsubscribe");
    assert.deepEqual(
      (await listSuppressions(house.database.kysely, project.projectId, 10)).map((each) => each.address),
      [address],
    );
    await peer.close();
    assert.deepEqual(await house.differences(), {});
  });
});

describe("the outbox", () => {
  it("forgets the mail of who is erased, and keeps that of others", async () => {
    const project = await house.project();
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
    });
    await people(project, ["anna", "ben"]);
    await launchEmail(project);
    await house.drain();
    const recipients = async () => {
      const { rows } = await house.database.pool.query<{ recipient: string }>(
        "select recipient from caught_messages where project_id = $1 order by 1",
        [project.projectId],
      );
      return rows.map(({ recipient }) => recipient);
    };
    assert.deepEqual(await recipients(), ["anna@example.com", "ben@example.com"]);
    await erase(project, "anna");
    assert.deepEqual(await recipients(), ["ben@example.com"]);
  });
});
