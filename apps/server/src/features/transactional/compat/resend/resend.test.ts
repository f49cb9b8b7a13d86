import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Resend } from "resend";
import { testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { readTaken, receiptProject, shownIn } from "../../../../../test/receipts.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

async function withResend() {
  const { project, key } = await receiptProject(house, smtp);
  return { project, resend: new Resend(key, { baseUrl: `${project.url}/compat/resend` }) };
}

const MAIL = {
  from: "Billing <billing@acme.example>",
  to: "ada@example.com",
  subject: "Your receipt",
  text: "Thanks",
};

describe("the package resend", () => {
  it("sends a mail to each of its recipients, who see the same lists", async () => {
    const { resend, project } = await withResend();
    const file = Buffer.from("a,b\r\n1,2\r\n");
    const { data, error } = await resend.emails.send({
      ...MAIL,
      to: ["Ada <ada@example.com>", "bob@example.com"],
      cc: "carl@example.com",
      bcc: "dora@example.com",
      replyTo: "help@acme.example",
      html: "<p>Thanks</p>",
      headers: { "X-Entity-Ref-ID": "42" },
      attachments: [{ filename: "order.csv", content: file }],
      tags: [{ name: "kind", value: "receipt" }],
    });
    assert.equal(error, null);
    await house.drain();
    const mails = await readTaken(smtp.taken);
    assert.deepEqual(
      mails.map(({ to }) => to),
      ["ada@example.com", "bob@example.com", "carl@example.com", "dora@example.com"],
    );
    for (const { mail } of mails) {
      assert.equal(mail.subject, "Your receipt");
      assert.equal(shownIn(mail.from), '"Billing" <billing@acme.example>');
      assert.equal(shownIn(mail.to), '"Ada" <ada@example.com>, bob@example.com');
      assert.equal(shownIn(mail.cc), "carl@example.com");
      assert.equal(mail.bcc, undefined);
      assert.equal(shownIn(mail.replyTo), "help@acme.example");
      assert.equal(mail.headers.get("x-entity-ref-id"), "42");
      assert.equal(mail.text?.trim(), "Thanks");
      assert.match(String(mail.html), /<p>Thanks<\/p>/);
      assert.deepEqual(
        mail.attachments.map(({ filename, contentType, content }) => [filename, contentType, content]),
        [["order.csv", "text/csv", file]],
      );
    }
    const first = await resend.emails.get(data?.id ?? "");
    assert.equal(first.error, null);
    assert.deepEqual(first.data?.to, ["ada@example.com"]);
    assert.equal(first.data?.subject, "Your receipt");
    assert.deepEqual(first.data?.tags, [{ name: "kind", value: "receipt" }]);
    assert.equal(first.data?.last_event, "delivered");
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("fills a template, and refuses one that lacks a value before anything is sent", async () => {
    const { resend } = await withResend();
    const to = "ada@example.com";
    const variables = { order: { number: "A-1", total: "24" } } as unknown as Record<string, string>;
    const { error } = await resend.emails.send({ to, template: { id: "receipt", variables } });
    assert.equal(error, null);
    const lacking = await resend.emails.send({ to, template: { id: "receipt", variables: {} } });
    assert.deepEqual([lacking.error?.statusCode, lacking.error?.name], [422, "validation_error"]);
    assert.match(lacking.error?.message ?? "", /^template\.variables\.order\.number is missing/);
    const unknown = await resend.emails.send({ to, template: { id: "nothing" } });
    assert.deepEqual([unknown.error?.statusCode, unknown.error?.name], [404, "not_found"]);
    await house.drain();
    const [only, second] = await readTaken(smtp.taken);
    assert.equal(only?.mail.subject, "Order A-1");
    assert.equal(second, undefined);
  });

  it("sends nothing twice with an idempotency key, and refuses it for another mail", async () => {
    const { resend } = await withResend();
    const idempotencyKey = "k".repeat(256);
    const first = await resend.emails.send(MAIL, { idempotencyKey });
    const again = await resend.emails.send(MAIL, { idempotencyKey });
    assert.ok(first.data?.id);
    assert.deepEqual(again.data, first.data);
    const other = await resend.emails.send({ ...MAIL, text: "Other" }, { idempotencyKey });
    assert.deepEqual([other.error?.statusCode, other.error?.name], [409, "invalid_idempotent_request"]);
    const long = await resend.emails.send(MAIL, { idempotencyKey: `${idempotencyKey}k` });
    assert.deepEqual([long.error?.statusCode, long.error?.name], [400, "invalid_idempotency_key"]);
    await house.drain();
    assert.equal((await readTaken(smtp.taken)).length, 1);
  });

  it("refuses a sender of another domain as one that is not verified", async () => {
    const { resend } = await withResend();
    const { error } = await resend.emails.send({ ...MAIL, from: "a@other.example" });
    assert.deepEqual([error?.statusCode, error?.name], [403, "validation_error"]);
    assert.match(error?.message ?? "", /acme\.example/);
  });

  it("sends later what is scheduled", async () => {
    const { resend } = await withResend();
    const scheduledAt = new Date(house.now() + 60_000).toISOString();
    const { data } = await resend.emails.send({ ...MAIL, scheduledAt });
    const lastEvent = async () => (await resend.emails.get(data?.id ?? "")).data?.last_event;
    await house.drain();
    assert.deepEqual([await lastEvent(), smtp.taken.length], ["scheduled", 0]);
    house.advance(60_000);
    await house.drain();
    assert.deepEqual([await lastEvent(), (await readTaken(smtp.taken)).length], ["delivered", 1]);
    const late = new Date(house.now() + 31 * 86_400_000).toISOString();
    const { error } = await resend.emails.send({ ...MAIL, scheduledAt: late });
    assert.match(error?.message ?? "", /^scheduled_at must be at most 30 days ahead/);
  });

  it("takes a batch wholly or not at all, unless it is permissive", async () => {
    const { resend } = await withResend();
    const bad = { ...MAIL, to: "bob" };
    const foreign = { ...MAIL, from: "a@other.example" };
    const strict = await resend.batch.send([MAIL, bad]);
    assert.match(strict.error?.message ?? "", /^\[1\]\.to must be an address/);
    const refused = await resend.batch.send([MAIL, foreign]);
    assert.match(refused.error?.message ?? "", /^\[1\]\.from must be an address of acme\.example/);
    await house.drain();
    assert.equal(smtp.taken.length, 0);

    const batchValidation = "permissive";
    const mixed = [MAIL, bad, { ...MAIL, to: "carl@example.com" }, foreign];
    const { data, error } = await resend.batch.send(mixed, { batchValidation });
    assert.equal(error, null);
    assert.equal(data?.data.length, 2);
    assert.deepEqual(
      data?.errors.map(({ index }) => index),
      [1, 3],
    );
    const whole = await resend.batch.send([MAIL, MAIL]);
    assert.equal(new Set(whole.data?.data.map(({ id }) => id)).size, 2);
    await house.drain();
    assert.deepEqual(
      (await readTaken(smtp.taken)).map(({ to }) => to),
      ["ada@example.com", "ada@example.com", "ada@example.com", "carl@example.com"],
    );
  });

  it("finds no mail of another project, and none that is not there", async () => {
    const [one, other] = [await withResend(), await withResend()];
    const { data } = await one.resend.emails.send(MAIL);
    for (const id of [data?.id ?? "", "del_x", "x".repeat(128)]) {
      const { error } = await other.resend.emails.get(id);
      assert.deepEqual([error?.statusCode, error?.name], [404, "not_found"]);
    }
    await house.drain();
    await readTaken(smtp.taken);
  });

  it("refuses what a project cannot send yet", async () => {
    const project = await house.project();
    const resend = new Resend(project.secretKey, { baseUrl: `${project.url}/compat/resend` });
    const { error } = await resend.emails.send(MAIL);
    assert.deepEqual([error?.statusCode, error?.name], [403, "validation_error"]);
  });

  it("takes batches at once that name the same people, each in its own order", async () => {
    const { resend } = await withResend();
    const people = Array.from({ length: 12 }, (_, i) => ({ ...MAIL, to: `u${i}@example.com` }));
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        resend.batch.send(people),
        resend.batch.send(people.toReversed()),
        resend.batch.send(people),
      ]);
      for (const { data, error } of answers) assert.deepEqual([error, data?.data.length], [null, 12]);
    }
    await house.drain();
    assert.equal((await readTaken(smtp.taken)).length, 5 * 3 * 12);
  });
});
