import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { parseDeliveryId } from "../../../../domain/ids.ts";
import { loops } from "../../../../features.ts";
import { drainLoops } from "../../../../platform/loops/loops.ts";
import { inBackground } from "../../../../platform/runtime.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";
import { addressRef, suppressAddress } from "../../addresses/public.ts";
import { pageOfUnknownSends, resendUnknown } from "../unknown/store.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const suppress = ({ projectId }: TestProject, address: string) =>
  suppressAddress(house.database.kysely, projectId, addressRef(projectId, address), {
    reason: "unsubscribed",
    at: house.now(),
  });

const sending = loops.filter(({ name }) => name === "send email");

/** Sends what is due of what is planned: the turns of all other loops, second after second, would take most of the time. */
const sendDue = () => drainLoops(inBackground(house.tidings.app), sending);

/** Messages that the mail server took while `act` ran. */
async function takenBy(act: () => Promise<unknown>): Promise<string[]> {
  const first = smtp.taken.length;
  await act();
  return smtp.taken.slice(first).map(({ to }) => to);
}

describe("the cap", () => {
  it("lets three through in any rolling 24 hours, and skips the others for good", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const campaigns: string[] = [];
    for (let i = 0; i < 5; i++) {
      campaigns.push((await launchEmail(project, { name: `Campaign ${i}` })).id);
      await house.drain();
      house.advance(HOUR_MS);
    }
    const states = await Promise.all(campaigns.map((id) => progressOf(project, id)));
    assert.deepEqual(
      states.map(({ accepted, frequencyCapped }) => [accepted, frequencyCapped]),
      [
        [1, 0],
        [1, 0],
        [1, 0],
        [0, 1],
        [0, 1],
      ],
    );
    const [capped] = (await project.api.listCampaignDeliveries({ path: { id: campaigns[3] ?? "" } }))
      .deliveries;
    assert.deepEqual([capped?.state, capped?.sentAt], ["frequency_capped", null]);
    const { campaign } = await project.api.getCampaign({ path: { id: campaigns[3] ?? "" } });
    assert.equal(campaign.stats.frequencyCapped, 1);
    house.advance(2 * 24 * HOUR_MS);
    assert.deepEqual(await takenBy(() => house.drain()), [], "what was skipped does not come later");
    const late = await launchEmail(project);
    assert.deepEqual(await takenBy(() => house.drain()), ["ada@example.com"]);
    assert.equal((await progressOf(project, late.id)).accepted, 1);
  });

  it("counts to the millisecond", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "1", "email.capHours": "1" });
    await people(project, ["ada"]);
    await launchEmail(project);
    await house.drain();
    house.advance(HOUR_MS - 1);
    const early = await launchEmail(project);
    await house.drain();
    house.advance(1);
    const late = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, early.id)).frequencyCapped, 1);
    assert.equal((await progressOf(project, late.id)).accepted, 1);
  });

  it("is per recipient: users who share an address share it", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "2" });
    for (const userId of ["a", "b", "c", "d"])
      await project.sdk.identify({ body: { userId, traits: { email: "Shared@Example.com" } } });
    const { id } = await launchEmail(project);
    for (let i = 0; i < 3; i++) {
      await house.drain();
      house.advance(10_000);
    }
    const { accepted, frequencyCapped, waiting } = await progressOf(project, id);
    assert.deepEqual({ accepted, frequencyCapped, waiting }, { accepted: 2, frequencyCapped: 2, waiting: 0 });
  });

  it("counts what was accepted, not what was refused", async () => {
    const peer = await startSmtp({ onRecipient: () => ({ code: 550, text: "5.7.1 Not today" }) });
    const project = await sendingProject(house, peer.port, { "email.capMax": "1" });
    await people(project, ["ada"]);
    const first = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, first.id)).failed, 1);
    peer.behave({});
    const second = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, second.id)).accepted, 1);
    await peer.close();
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

describe("suppression", () => {
  it("plans nothing for who left, and stops what was planned before", async () => {
    const project = await sendingProject(house, smtp.port, { "email.perMinute": "1" });
    await people(project, ["ada", "ben"]);
    await suppress(project, "BEN@example.com");
    const { id } = await launchEmail(project);
    await people(project, ["cleo"]);
    await house.drain();
    house.advance(61_000);
    await house.drain();
    assert.deepEqual(await progressOf(project, id), {
      planned: 2,
      waiting: 0,
      sending: 0,
      accepted: 2,
      unknown: 0,
      failed: 0,
      frequencyCapped: 0,
      suppressed: 0,
    });
    const planned = await launchEmail(project, { name: "Second" });
    await house.drain();
    await suppress(project, "ada@example.com");
    await suppress(project, "cleo@example.com");
    const taken = await takenBy(async () => {
      for (let i = 0; i < 5; i++) {
        house.advance(61_000);
        await house.drain();
      }
    });
    const second = await progressOf(project, planned.id);
    assert.deepEqual(taken, []);
    assert.equal(second.planned, 2);
    assert.equal(second.suppressed, 2);
    assert.deepEqual(await house.differences(), {});
  });

  it("follows a permanent bounce at once, in every campaign of the project and in no other's", async () => {
    const peer = await startSmtp({ onRecipient: () => ({ code: 550, text: "5.1.1 Unknown" }) });
    const [project, other] = [await sendingProject(house, peer.port), await sendingProject(house, peer.port)];
    for (const each of [project, other]) await people(each, ["ada"]);
    await launchEmail(project);
    await house.drain();
    peer.behave({});
    const again = await launchEmail(project);
    const elsewhere = await launchEmail(other);
    await house.drain();
    assert.equal((await progressOf(project, again.id)).planned, 0);
    assert.equal((await progressOf(other, elsewhere.id)).accepted, 1);
    await peer.close();
  });
});

describe("the pace", () => {
  it("lets no more leave in any minute than the project allows", async () => {
    const project = await sendingProject(house, smtp.port, { "email.perMinute": "6" });
    await people(
      project,
      Array.from({ length: 30 }, (_, i) => `p${i}`),
    );
    const { id } = await launchEmail(project);
    await house.drain();
    // What left already, at this instant.
    const at = smtp.taken.flatMap(({ to }) => (/^p\d/.test(to) ? [house.now()] : []));
    for (let second = 0; second < 360; second++) {
      const taken = await takenBy(sendDue);
      // Campaigns of the tests before go on meanwhile.
      for (const to of taken) if (/^p\d/.test(to)) at.push(house.now());
      house.advance(1_000);
    }
    assert.equal(at.length, 30);
    for (const start of at) {
      const within = at.filter((instant) => instant >= start && instant < start + MINUTE_MS).length;
      assert.ok(within <= 6, `${within} within a minute`);
    }
    assert.equal((await progressOf(project, id)).accepted, 30);
  });

  it("is kept for each domain of recipients, and holds up no other domain", async () => {
    const project = await sendingProject(house, smtp.port, { "email.domainPerMinute": "2" });
    await people(project, ["a", "b", "c", "d", "e"], "slow.example");
    await people(project, ["x"], "quick.example");
    const { id } = await launchEmail(project);
    const first = await takenBy(() => house.drain());
    assert.equal(first.filter((to) => to.endsWith("@quick.example")).length, 1);
    assert.ok(first.filter((to) => to.endsWith("@slow.example")).length <= 1);
    for (let i = 0; i < 200; i++) {
      house.advance(1_000);
      await sendDue();
    }
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 6);
  });

  for (const overCap of ["skip", "postpone"])
    it(`of a domain is for mail that leaves: what is over the cap (${overCap}) delays no other`, async () => {
      const project = await sendingProject(house, smtp.port, {
        "email.capMax": "1",
        "email.overCap": overCap,
      });
      const domain = `${overCap}.example`;
      const users = (prefix: string, length: number) => Array.from({ length }, (_, i) => `${prefix}${i}`);
      await people(project, users("over", 30), domain);
      const first = await launchEmail(project, { name: "First" });
      await house.drain();
      assert.equal((await progressOf(project, first.id)).accepted, 30);
      await setSettings(house, project, { "email.domainPerMinute": "6" });
      await people(project, users("new", 5), domain);
      const { id } = await launchEmail(project, { name: "Second" });
      const came: string[] = [];
      // A minute has six permits: the five that may leave come within it, though more are due before them.
      for (let passed = 0; passed < MINUTE_MS; passed += 5_000) {
        came.push(...(await takenBy(() => house.drain())).filter((to) => to.endsWith(`@${domain}`)));
        house.advance(5_000);
      }
      assert.deepEqual(
        came.toSorted(),
        users("new", 5).map((user) => `${user}@${domain}`),
      );
      const { accepted, frequencyCapped, waiting } = await progressOf(project, id);
      const [skipped, waits] = overCap === "skip" ? [30, 0] : [0, 30];
      assert.deepEqual([accepted, frequencyCapped, waiting], [5, skipped, waits]);
      assert.deepEqual(await house.differences(), {});
    });

  it("follows a change of the setting", async () => {
    const project = await sendingProject(house, smtp.port, { "email.perMinute": "1" });
    await people(project, ["a", "b", "c", "d"]);
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 1);
    await setSettings(house, project, { "email.perMinute": "" });
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 4);
  });
});

describe("an unknown message", () => {
  it("is listed, and sent again when a person says so, once", async () => {
    const peer = await startSmtp({ onMessage: () => "drop" });
    const project = await sendingProject(house, peer.port);
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    await house.drain();
    const { kysely } = house.database;
    const { rows, total } = await pageOfUnknownSends(kysely, project.projectId, { offset: 0, limit: 10 });
    const [unknown] = rows;
    assert.ok(unknown);
    assert.equal(total, 1);
    assert.equal(unknown.address, "ada@example.com");
    peer.behave({});
    const ref = parseDeliveryId(unknown.deliveryId);
    assert.ok(ref);
    const decide = (projectId: string) =>
      kysely.transaction().execute((tx) => resendUnknown(tx, projectId, ref, { by: "Eve", at: house.now() }));
    assert.equal(await decide((await house.project()).projectId), false, "another project's is not theirs");
    const decisions = await Promise.all([1, 2, 3].map(() => decide(project.projectId)));
    assert.deepEqual(decisions.filter(Boolean).length, 1);
    await house.drain();
    assert.equal(peer.taken.length, 1);
    assert.equal((await progressOf(project, id)).accepted, 1);
    assert.deepEqual(await house.differences(), {});
    await peer.close();
  });
});
