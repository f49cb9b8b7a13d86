import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Errors, ServerClient } from "postmark";
import { testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { readTaken, receiptProject, shownIn } from "../../../../../test/receipts.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

async function withPostmark() {
  const { project, key } = await receiptProject(house, smtp);
  const requestHost = `${project.url.replace("http://", "")}/compat/postmark`;
  return { project, postmark: new ServerClient(key, { useHttps: false, requestHost }) };
}

const MAIL = {
  From: "Billing <billing@acme.example>",
  To: "ada@example.com",
  Subject: "Hello",
  TextBody: "Hi",
};
const TEMPLATED = {
  From: "billing@acme.example",
  To: "ada@example.com",
  TemplateAlias: "receipt",
  TemplateModel: { order: { number: "A-1", total: "24" } },
};

/** Asserts that a call is refused with one of the errors of the package. */
const refuses = (call: Promise<unknown>, kind: typeof Errors.PostmarkError, code: number, message: RegExp) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof kind, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });

describe("the package postmark", () => {
  it("sends a mail to each of its recipients, who see the same lists", async () => {
    const { postmark, project } = await withPostmark();
    const file = Buffer.from([0, 1, 2, 254, 255]);
    const answer = await postmark.sendEmail({
      ...MAIL,
      To: 'ada@example.com, "Bob, B" <bob@example.com>',
      Cc: "carl@example.com",
      Bcc: "dora@example.com",
      ReplyTo: "help@acme.example",
      HtmlBody: "<p>Hi</p>",
      Tag: "receipt",
      Metadata: { order: "42" },
      Headers: [{ Name: "X-Order", Value: "42" }],
      Attachments: [
        {
          Name: "a.dat",
          Content: file.toString("base64"),
          ContentType: "application/octet-stream",
          ContentID: null,
        },
      ],
    });
    assert.deepEqual(
      [answer.ErrorCode, answer.Message, answer.To, answer.SubmittedAt],
      [0, "OK", 'ada@example.com, "Bob, B" <bob@example.com>', new Date(house.now()).toISOString()],
    );
    const { send } = await project.api.getSend({ path: { id: answer.MessageID } });
    assert.equal(send.to, "ada@example.com");
    assert.deepEqual(send.tags, { order: "42", Tag: "receipt" });
    await house.drain();
    const mails = await readTaken(smtp.taken);
    assert.deepEqual(
      mails.map(({ to }) => to),
      ["ada@example.com", "bob@example.com", "carl@example.com", "dora@example.com"],
    );
    for (const { mail } of mails) {
      assert.equal(shownIn(mail.to), 'ada@example.com, "Bob, B" <bob@example.com>');
      assert.equal(shownIn(mail.cc), "carl@example.com");
      assert.equal(mail.bcc, undefined);
      assert.equal(mail.headers.get("x-order"), "42");
      assert.deepEqual(
        mail.attachments.map(({ filename, content }) => [filename, content]),
        [["a.dat", file]],
      );
    }
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("fills a template, and refuses one that lacks a value or is not there", async () => {
    const { postmark } = await withPostmark();
    assert.equal((await postmark.sendEmailWithTemplate(TEMPLATED)).ErrorCode, 0);
    await refuses(
      postmark.sendEmailWithTemplate({ ...TEMPLATED, TemplateModel: {} }),
      Errors.InvalidEmailRequestError,
      300,
      /^TemplateModel\.order\.number is missing/,
    );
    await refuses(
      postmark.sendEmailWithTemplate({ ...TEMPLATED, TemplateAlias: "nothing" }),
      Errors.ApiInputError,
      1101,
      /^Template not found/,
    );
    await house.drain();
    const [only, second] = await readTaken(smtp.taken);
    assert.equal(only?.mail.subject, "Order A-1");
    assert.equal(second, undefined);
  });

  it("refuses a sender of another domain, and a batch that is too long", async () => {
    const { postmark } = await withPostmark();
    const foreign = { ...MAIL, From: "a@other.example" };
    await refuses(
      postmark.sendEmail(foreign),
      Errors.ApiInputError,
      400,
      /^From must be an address of acme\.example/,
    );
    const many = Array.from({ length: 501 }, () => MAIL);
    await refuses(postmark.sendEmailBatch(many), Errors.ApiInputError, 410, /at most 500/);
  });

  it("answers each mail of a batch by itself", async () => {
    const { postmark } = await withPostmark();
    const codes = async (batch: ReturnType<ServerClient["sendEmailBatch"]>) =>
      (await batch).map(({ ErrorCode }) => ErrorCode);
    assert.deepEqual(
      await codes(
        postmark.sendEmailBatch([
          MAIL,
          { ...MAIL, To: "bob" },
          { ...MAIL, To: "carl@example.com" },
          { ...MAIL, From: "a@other.example" },
        ]),
      ),
      [0, 300, 0, 400],
    );
    assert.deepEqual(
      await codes(
        postmark.sendEmailBatchWithTemplates([
          TEMPLATED,
          { ...TEMPLATED, TemplateAlias: "nothing" },
          { ...TEMPLATED, TemplateModel: {} },
        ]),
      ),
      [0, 1101, 300],
    );
    assert.deepEqual(await postmark.sendEmailBatch([]), []);
    await house.drain();
    assert.deepEqual(
      (await readTaken(smtp.taken)).map(({ to }) => to),
      ["ada@example.com", "ada@example.com", "carl@example.com"],
    );
  });

  it("is told of addresses that get no receipts any more", async () => {
    const { postmark } = await withPostmark();
    smtp.behave({ onRecipient: () => ({ code: 550, text: "5.1.1 No such user" }) });
    await postmark.sendEmail({ ...MAIL, To: "gone@example.com" });
    await house.drain();
    smtp.behave({});
    const call = postmark.sendEmail({ ...MAIL, To: "Gone@example.com" });
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof Errors.InactiveRecipientsError, String(error));
      assert.deepEqual([error.code, error.statusCode, error.recipients], [406, 422, ["Gone@example.com"]]);
      return true;
    });
    const some = await postmark.sendEmail({ ...MAIL, Cc: "gone@example.com" });
    assert.equal(some.ErrorCode, 0);
    assert.equal(
      some.Message,
      "Message OK, but will not deliver to these inactive addresses: gone@example.com",
    );
    const [all, none] = await postmark.sendEmailBatch([{ ...MAIL, To: "gone@example.com" }, MAIL]);
    assert.deepEqual([all?.ErrorCode, none?.ErrorCode], [406, 0]);
    await house.drain();
    assert.deepEqual(
      (await readTaken(smtp.taken)).map(({ to }) => to),
      ["ada@example.com", "ada@example.com"],
    );
  });
});
