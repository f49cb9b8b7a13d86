import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { sendingProject } from "../../../../test/email.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import {
  posted,
  receiptBody,
  receiptTemplate,
  rowsOf,
  sendReceipt,
} from "../../../../test/requested-receipts.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  await house.drain();
  smtp.taken.length = 0;
  assert.deepEqual(await house.differences(), {});
});

const numbers = (length: number): string[] => Array.from({ length }, (_, n) => `N-${n}`);

/** The numbers in the subjects of the mails that arrived. */
const arrived = (): string[] =>
  smtp.taken.map(({ raw }) => /^Subject: Receipt (\S+)\r$/m.exec(raw.toString("latin1"))?.[1] ?? "?").sort();

describe("an Idempotency-Key", () => {
  it("makes one mail of requests that repeat, and of requests at once", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    const once = () => posted(project, receiptBody(), { "idempotency-key": "order-1" });
    const first = await once();
    const again = await once();
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, first.body);
    const racing = await Promise.all(
      Array.from({ length: 12 }, () => posted(project, receiptBody(), { "idempotency-key": "order-2" })),
    );
    const made = racing.filter(({ status }) => status === 201);
    assert.ok(made.length > 0);
    assert.ok(racing.every(({ status }) => status === 201 || status === 409));
    assert.equal(new Set(made.map(({ body }) => JSON.stringify(body))).size, 1);
    await house.drain();
    assert.equal(smtp.taken.length, 2);
  });

  it("refuses another mail under the same key", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await posted(project, receiptBody(), { "idempotency-key": "k" });
    const other = await posted(project, receiptBody({ to: { email: "eve@example.com" } }), {
      "idempotency-key": "k",
    });
    assert.ok([409, 422].includes(other.status), String(other.status));
    assert.equal((await rowsOf(house, project)).sends, 1);
  });
});

describe("requests at once", () => {
  for (const [whom, to] of [
    ["a user", { userId: "ada" }],
    ["an address", { email: "ada@example.com" }],
  ] as const)
    it(`for ${whom} each make a mail, on occasions one after the other`, async () => {
      const project = await sendingProject(house, smtp.port);
      await project.api.identify({ body: { userId: "ada", traits: { email: "ada@example.com" } } });
      await receiptTemplate(project);
      const wanted = numbers(24);
      const sends = await Promise.all(
        wanted.map((number) => sendReceipt(project, { to, data: { number, total: 1 } })),
      );
      assert.equal(new Set(sends.map(({ id }) => id)).size, wanted.length);
      const { rows } = await house.database.pool.query<{ occasion: number }>(
        "select occasion from deliveries where project_id = $1 order by 1",
        [project.projectId],
      );
      assert.deepEqual(
        rows.map(({ occasion }) => occasion),
        wanted.map((_, occasion) => occasion),
      );
      await house.drain();
      assert.deepEqual(arrived(), wanted.toSorted());
      await house.drain();
      assert.equal(smtp.taken.length, wanted.length, "nothing leaves again");
    });

  it("for mail that code has written make its template once", async () => {
    const project = await sendingProject(house, smtp.port);
    const message = { subject: "Receipt own", text: "Thank you." };
    await Promise.all(
      numbers(8).map((name) =>
        project.api.sendMail({ body: { message, to: { email: `${name}@example.com` } } }),
      ),
    );
    await house.drain();
    assert.equal(smtp.taken.length, 8);
    const { rows } = await house.database.pool.query(
      "select status from campaigns where project_id = $1 and key = '$code'",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ status: "running" }]);
  });
});

describe("a request that is refused", () => {
  it("leaves nothing, also where it is refused late", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    const nothing = { users: 0, deliveries: 0, sends: 0, data: 0, files: 0 };
    const { error } = await refusal(sendReceipt(project, { data: { number: "A-1" } }));
    assert.match(error, /data\.total/);
    assert.deepEqual(await rowsOf(house, project), nothing);
    const file = { name: "run.exe", content: Buffer.from("MZ").toString("base64") };
    await refusal(sendReceipt(project, { attachments: [file] }));
    assert.deepEqual(await rowsOf(house, project), nothing);
    await refusal(sendReceipt(project, { to: { userId: "nobody-we-know" } }));
    assert.deepEqual(await rowsOf(house, project), nothing);
  });

  it("may be sent again under its Idempotency-Key once its cause is gone", async () => {
    const project = await sendingProject(house, smtp.port);
    const template = await receiptTemplate(project, { launch: false });
    const send = () => posted(project, receiptBody(), { "idempotency-key": "later" });
    assert.equal((await send()).status, 409);
    await project.api.setCampaignStatus({ path: { id: template.id }, body: { action: "launch" } });
    assert.equal((await send()).status, 201);
    await house.drain();
    assert.deepEqual(arrived(), ["A-1"]);
  });
});
