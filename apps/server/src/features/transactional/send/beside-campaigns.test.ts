import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { until } from "../../../../test/commands/spawned.ts";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp, type Taken } from "../../../../test/peers/smtp.ts";
import { receiptTemplate, sendReceipt } from "../../../../test/requested-receipts.ts";
import { loops } from "../../../features.ts";
import { drainLoops } from "../../../platform/loops/loops.ts";
import { inBackground } from "../../../platform/runtime.ts";
import { addressRef, type Stream, suppressAddress } from "../../email/addresses/public.ts";
import type { SuppressionReason } from "../../email/addresses/rules.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  smtp.behave({});
  await house.drain();
  smtp.taken.length = 0;
  assert.deepEqual(await house.differences(), {});
});

const isReceipt = ({ raw }: Taken): boolean => /^Subject: Receipt /m.test(raw.toString("latin1"));
const receipts = (): Taken[] => smtp.taken.filter(isReceipt);
const sendingReceipts = loops.filter(({ name }) => name === "send receipts");
/** Sends receipts alone, as the loop of receipts does while that of campaigns is busy. */
const sendReceiptsNow = () => drainLoops(inBackground(house.tidings.app), sendingReceipts);

const stop = (
  { projectId }: TestProject,
  reason: SuppressionReason,
  stream: Stream,
  address = "ada@example.com",
) =>
  suppressAddress(house.database.kysely, projectId, addressRef(projectId, address), {
    reason,
    at: house.now(),
    stream,
  });

const stateOf = async ({ api }: TestProject, id: string) => (await api.getSend({ path: { id } })).send.state;

describe("a receipt beside a campaign", () => {
  it("has connections of its own: it arrives while all those of the campaign are busy", async () => {
    const connections = 3;
    const project = await sendingProject(house, smtp.port, {
      "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}?connections=${connections}`,
      "email.perMinute": "1000",
    });
    await receiptTemplate(project);
    await people(
      project,
      Array.from({ length: 40 }, (_, n) => `user-${n}`),
    );
    const { id } = await launchEmail(project);
    const release = Promise.withResolvers<null>();
    let blocked = 0;
    smtp.behave({
      onMessage: (message) => {
        if (isReceipt(message)) return null;
        blocked++;
        return release.promise;
      },
    });
    const campaign = house.drain();
    try {
      await until(() => blocked === connections, "every connection of the campaign is busy");
      const { id: send } = await sendReceipt(project);
      await sendReceiptsNow();
      assert.equal(await stateOf(project, send), "delivered");
      assert.equal(blocked, connections);
    } finally {
      release.resolve(null);
    }
    await campaign;
    for (let passed = 0; passed < 10; passed++) {
      house.advance(1_000);
      await house.drain();
    }
    assert.equal((await progressOf(project, id)).accepted, 40);
  });

  it("has a sender, a server and a pace of its own", async () => {
    const own = await startSmtp();
    try {
      const project = await sendingProject(house, smtp.port, {
        "email.perMinute": "1",
        "transactional.from": "Acme Receipts <receipts@acme.example>",
        "transactional.smtpUrl": `smtp://127.0.0.1:${own.port}`,
        "transactional.perMinute": "60",
      });
      await receiptTemplate(project);
      await people(project, ["ada", "ben"]);
      const { id } = await launchEmail(project);
      for (let n = 0; n < 5; n++) await sendReceipt(project, { data: { number: `${n}`, total: 1 } });
      await house.drain();
      const first = own.taken.length;
      assert.ok(first >= 1 && first <= 2, `${first} left at once`);
      house.advance(1_000);
      await house.drain();
      assert.equal(own.taken.length, first + 1);
      house.advance(10_000);
      await house.drain();
      for (let more = 0; more < 5; more++) {
        house.advance(1_000);
        await house.drain();
      }
      assert.equal(own.taken.length, 5);
      assert.ok(own.taken.every(({ from }) => from === "receipts@acme.example"));
      assert.ok(own.taken.every(isReceipt));
      assert.equal((await progressOf(project, id)).accepted, 1, "the campaign has its own pace");
      assert.deepEqual(
        smtp.taken.map(({ from }) => from),
        ["news@acme.example"],
      );
      await setSettings(house, project, { "email.perMinute": "" });
    } finally {
      await own.close();
    }
  });

  it("does not count for the cap of its address, and the cap does not keep it back", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "1" });
    await receiptTemplate(project);
    await people(project, ["ada"]);
    for (let n = 0; n < 3; n++) await sendReceipt(project);
    await house.drain();
    const first = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, first.id)).accepted, 1, "three receipts count for nothing");
    const second = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, second.id)).frequencyCapped, 1);
    const { id } = await sendReceipt(project);
    await house.drain();
    assert.equal(await stateOf(project, id), "delivered");
  });

  it("does not keep a campaign's mail waiting while it is on the wire", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "1" });
    await receiptTemplate(project);
    await people(project, ["ada"]);
    const release = Promise.withResolvers<null>();
    let isOnTheWire = false;
    smtp.behave({
      onMessage: (message) => {
        if (!isReceipt(message)) return null;
        isOnTheWire = true;
        return release.promise;
      },
    });
    await sendReceipt(project);
    const receipt = sendReceiptsNow();
    try {
      await until(() => isOnTheWire, "the receipt is on the wire");
      const { id } = await launchEmail(project);
      await drainLoops(
        inBackground(house.tidings.app),
        loops.filter(({ name }) => ["plan email", "send email"].includes(name)),
      );
      assert.equal((await progressOf(project, id)).accepted, 1);
    } finally {
      release.resolve(null);
    }
    await receipt;
  });

  it("counts for no cap where it is proved later that it arrived", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "1" });
    await receiptTemplate(project);
    await people(project, ["ada"]);
    smtp.behave({ onMessage: () => "drop" });
    const { id: send } = await sendReceipt(project);
    await house.drain();
    assert.equal(await stateOf(project, send), "unknown");
    smtp.behave({});
    const { id } = await launchEmail(project);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 1);
  });
});

describe("an address that is stopped", () => {
  const cases: readonly (readonly [SuppressionReason, Stream, boolean])[] = [
    ["unsubscribed", "campaigns", true],
    ["complained", "campaigns", true],
    ["bounced", "campaigns", false],
    ["complained", "receipts", false],
  ];
  for (const [reason, stream, leaves] of cases)
    it(`(${reason}, ${stream}) ${leaves ? "gets" : "does not get"} receipts`, async () => {
      const project = await sendingProject(house, smtp.port);
      await receiptTemplate(project);
      await stop(project, reason, stream);
      const { id } = await sendReceipt(project);
      await house.drain();
      assert.equal(receipts().length, leaves ? 1 : 0);
      assert.equal(await stateOf(project, id), leaves ? "delivered" : "suppressed");
    });

  it("while its receipt is leased gets none, where receipts are stopped, and gets it where campaigns are", async () => {
    const connections = 1;
    const project = await sendingProject(house, smtp.port, {
      "transactional.smtpUrl": `smtp://127.0.0.1:${smtp.port}?connections=${connections}`,
    });
    await receiptTemplate(project);
    const names = Array.from({ length: 20 }, (_, n) => `user-${n}@example.com`);
    for (const email of names) await sendReceipt(project, { to: { email } });
    const release = Promise.withResolvers<null>();
    smtp.behave({ onMessage: () => release.promise });
    const draining = sendReceiptsNow();
    try {
      await until(async () => {
        const { sends } = await project.api.listSends({ query: { state: "sending" } });
        return sends.length === names.length;
      }, "all are leased");
      for (const [n, email] of names.entries())
        if (n % 2 === 0) await stop(project, "complained", "receipts", email);
        else await stop(project, "unsubscribed", "campaigns", email);
    } finally {
      release.resolve(null);
    }
    await draining;
    await house.drain();
    const { sends } = await project.api.listSends({ query: { state: "suppressed" } });
    // At most two are begun over one connection before they are stopped.
    const half = names.length / 2;
    assert.ok(
      sends.length >= half - 2 * connections && sends.length <= half,
      `${sends.length} are suppressed`,
    );
    assert.equal(receipts().length, names.length - sends.length);
  });
});
