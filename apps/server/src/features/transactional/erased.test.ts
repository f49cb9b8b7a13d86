import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { until } from "../../../test/commands/spawned.ts";
import { sendingProject, setSettings } from "../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { exportText, importText } from "../../../test/portable.ts";
import { receiptTemplate, rowsOf, sendReceipt } from "../../../test/requested-receipts.ts";
import { apiId } from "../../domain/ids.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { addressRef } from "../email/addresses/public.ts";

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

const GUEST = "mailto:ada@example.com";

async function statusesOf({ projectId }: TestProject): Promise<string[]> {
  const { rows } = await house.database.pool.query<{ status: string }>(
    "select status from email_sends where project_id = $1 order by occasion",
    [projectId],
  );
  return rows.map(({ status }) => status);
}

/** Whether any table of mail or of requests has the name of the address. */
async function isKnown({ projectId }: TestProject): Promise<boolean> {
  const tables =
    "send_data deliveries email_sends email_outcomes email_addresses idempotency_keys users caught_messages";
  for (const table of tables.split(" ")) {
    const { rows } = await house.database.pool.query(
      `select from ${table} t where project_id = $1 and to_jsonb(t)::text ilike '%ada@example%'`,
      [projectId],
    );
    if (rows.length > 0) return true;
  }
  return false;
}

describe("the erasure of a user with receipts", () => {
  it("takes the data of those that wait, which never leave, also where they were for later", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await sendReceipt(project, { attachments: [{ name: "a.txt", content: "QQ==" }] });
    const { id } = await sendReceipt(project, { sendAt: house.now() + 20 * DAY_MS });
    await project.api.eraseUser({ path: { id: GUEST } });
    const { data, files, users, sends } = await rowsOf(house, project);
    assert.deepEqual({ data, files, users, sends }, { data: 0, files: 0, users: 0, sends: 2 });
    await house.drain();
    assert.deepEqual(await statusesOf(project), ["failed", "failed"]);
    assert.equal(smtp.taken.length, 0);
    assert.equal((await refusal(project.api.getSend({ path: { id } }))).status, 404);
    assert.equal(await isKnown(project), false);
  });

  it("forgets an address of which only a decision of people is known", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await sendReceipt(project, { sendAt: house.now() + DAY_MS });
    const { lane, addressKey } = addressRef(project.projectId, "ada@example.com");
    await house.database.pool.query(
      "insert into email_addresses (lane, address_key, project_id, address) values ($1, $2, $3, 'ada@example.com')",
      [lane, addressKey, project.projectId],
    );
    await project.api.eraseUser({ path: { id: GUEST } });
    assert.equal(await isKnown(project), false);
  });

  it("while one is on the wire takes its data, and keeps what became of it", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    const release = Promise.withResolvers<null>();
    let isOnTheWire = false;
    smtp.behave({
      onMessage: () => {
        isOnTheWire = true;
        return release.promise;
      },
    });
    await sendReceipt(project);
    const draining = house.drain();
    try {
      await until(() => isOnTheWire, "the receipt is on the wire");
      await project.api.eraseUser({ path: { id: GUEST } });
    } finally {
      release.resolve(null);
    }
    await draining;
    await until(async () => (await statusesOf(project))[0] === "accepted", "its answer is written");
    assert.equal((await rowsOf(house, project)).data, 0);
    assert.equal(await isKnown(project), false);
  });

  it("of one that was sent leaves no trace of the address, and a new request meets them anew", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await sendReceipt(project);
    await house.drain();
    await project.api.eraseUser({ path: { id: GUEST } });
    assert.equal(await isKnown(project), false);
    await sendReceipt(project);
    await house.drain();
    assert.equal(smtp.taken.length, 2);
  });
});

describe("a project in a file", () => {
  it("takes receipts that wait along, which leave there once their template is live; files and sealed ones stay behind", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await receiptTemplate(project, { key: "reset", sensitive: true });
    const data = (number: string) => ({ number, total: number });
    await sendReceipt(project, { data: data("plain") });
    await sendReceipt(project, { data: data("filed"), attachments: [{ name: "a.txt", content: "QQ==" }] });
    await sendReceipt(project, { template: "reset", data: data("geheim") });
    const text = await exportText(house, project.projectId);
    assert.doesNotMatch(text, /geheim/);
    assert.match(text, /plain/);
    await house.drain();
    assert.equal(smtp.taken.length, 3);
    smtp.taken.length = 0;
    const { project: copy } = await importText(house, text, "Copy");
    await setSettings(house, copy, {
      "email.domainVerified": "acme.example",
      "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    });
    await house.drain();
    assert.equal(smtp.taken.length, 0, "nothing leaves of itself");
    const { rows } = await house.database.pool.query<{ id: string }>(
      "select id from campaigns where project_id = $1 order by key",
      [copy.projectId],
    );
    for (const { id } of rows)
      await copy.api.setCampaignStatus({ path: { id: apiId("cmp", id) }, body: { action: "launch" } });
    await house.drain();
    const { rows: sends } = await house.database.pool.query(
      `select c.key, s.status, s.reason from email_sends s join campaigns c on c.id = s.campaign_id
      where s.project_id = $1 order by c.key, s.occasion`,
      [copy.projectId],
    );
    assert.deepEqual(sends, [
      { key: "receipt", status: "accepted", reason: null },
      { key: "receipt", status: "failed", reason: "its files are not kept any more" },
      { key: "reset", status: "failed", reason: sends[2]?.reason },
    ]);
    assert.deepEqual(
      smtp.taken.map(({ to }) => to),
      ["ada@example.com"],
    );
  });
});

describe("a clock that was ahead when a receipt was requested", () => {
  it("keeps it back no longer than its request says", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    const now = house.now();
    house.at(now + 20 * DAY_MS);
    await sendReceipt(project);
    await sendReceipt(project, { sendAt: now + 2 * DAY_MS });
    await sendReceipt(project, { sendAt: now + 30 * DAY_MS });
    house.at(now);
    const stages: number[] = [];
    for (const days of [0, 1, 2, 29, 30]) {
      house.at(now + days * DAY_MS);
      for (let minute = 0; minute < 3; minute++) {
        await house.drain();
        house.advance(61_000);
      }
      stages.push(smtp.taken.length);
    }
    assert.deepEqual(stages, [1, 1, 2, 2, 3]);
  });
});
