import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { simpleParser } from "mailparser";
import { sendingProject } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import {
  posted,
  receiptBody,
  receiptTemplate,
  rowsOf,
  sendReceipt,
} from "../../../../test/requested-receipts.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
let isMade = false;
let project: TestProject;
before(async () => {
  smtp = await startSmtp({ options: { size: 40_000_000 } });
});
after(() => smtp.close());
// One project for all: what is refused leaves nothing.
beforeEach(async () => {
  if (isMade) return;
  isMade = true;
  project = await sendingProject(house, smtp.port);
  await receiptTemplate(project);
});
const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64");
const file = (more: Readonly<Record<string, unknown>> = {}) => ({
  name: "a.pdf",
  content: base64("pdf"),
  ...more,
});
const withFile = (more: Readonly<Record<string, unknown>>) => ({
  ...receiptBody(),
  attachments: [file(more)],
});
const own = (more: Readonly<Record<string, unknown>>) => ({
  to: { email: "ada@example.com" },
  message: { subject: "Hello", text: "Hi", ...more },
});

/** Bodies that are refused, and what the refusal says. */
const REFUSED: Readonly<Record<string, [body: unknown, says: RegExp]>> = {
  "no JSON": ["{", /JSON/],
  "a list": [[], /object/],
  "neither template nor message": [{ to: { email: "a@b.example" } }, /exactly one of template and message/],
  "template and message": [{ ...receiptBody(), ...own({}) }, /exactly one of template and message/],
  "no recipient": [{ template: "receipt" }, /\bto\b/],
  "two recipients": [{ ...receiptBody(), to: { userId: "a", email: "a@b.example" } }, /exactly one of/],
  "a recipient that is a text": [{ ...receiptBody(), to: "ada@example.com" }, /\bto\b/],
  "an address without a domain": [{ ...receiptBody(), to: { email: "ada" } }, /to\.email/],
  "two addresses in one": [{ ...receiptBody(), to: { email: "a@b.example,c@d.example" } }, /to\.email/],
  "an address with a line break": [
    { ...receiptBody(), to: { email: "a@b.example\r\nBcc: c@d.e" } },
    /to\.email/,
  ],
  "the id of a visitor": [{ ...receiptBody(), to: { userId: "$anon:abc" } }, /to\.userId/],
  "a field that no one knows": [{ ...receiptBody(), subject: "Hi" }, /subject/],
  "data that is a list": [{ ...receiptBody(), data: [] }, /data/],
  "data that is too large": [{ ...receiptBody(), data: { number: 1, total: "x".repeat(32_768) } }, /data/],
  "a value that is missing": [{ ...receiptBody(), data: { number: 1 } }, /data\.total/],
  "a value that is null": [{ ...receiptBody(), data: { number: 1, total: null } }, /data\.total/],
  "a value that is an object": [{ ...receiptBody(), data: { number: 1, total: {} } }, /data\.total/],
  "NUL in data": [{ ...receiptBody(), data: { number: "a\0b", total: 1 } }, /data/],
  "NUL in a name of data": [{ ...receiptBody(), data: { number: 1, total: 1, "a\0": 1 } }, /data/],
  "half of a surrogate pair in data": [
    '{"template":"receipt","to":{"email":"a@b.example"},"data":{"number":"\\ud800","total":1}}',
    /data/,
  ],
  "NUL in a text of one's own": [own({ text: "a\0b" }), /message\.text/],
  "half of a surrogate pair in a subject": [
    '{"to":{"email":"a@b.example"},"message":{"subject":"\\udc00","text":"a"}}',
    /message\.subject/,
  ],
  "a message without a text": [{ to: { email: "a@b.example" }, message: { subject: "Hi" } }, /html or text/],
  "replyTo that is no address": [{ ...receiptBody(), replyTo: "me" }, /replyTo/],
  "sendAt that is no instant": [{ ...receiptBody(), sendAt: "tomorrow" }, /sendAt/],
  "sendAt beyond thirty days": [
    { ...receiptBody(), sendAt: Date.UTC(2026, 0, 15, 12) + 30 * DAY_MS + 1 },
    /sendAt/,
  ],
  "a name that code is made of": [
    '{"template":"receipt","to":{"email":"a@b.example"},"data":{"__proto__":{"total":1},"number":1}}',
    /JSON/,
  ],
  "a file that is no base64": [withFile({ content: "???" }), /attachments\[0\]\.content/],
  "a file in base64url": [withFile({ content: "_-_-" }), /attachments\[0\]\.content/],
  "a file with bits of no byte": [withFile({ content: "QR==" }), /attachments\[0\]\.content/],
  "a file of one character": [withFile({ content: "A" }), /attachments\[0\]\.content/],
  "a file with half of its padding": [withFile({ content: "QQ=" }), /attachments\[0\]\.content/],
  "a file of padding": [withFile({ content: "=" }), /attachments\[0\]\.content/],
  "a file without content": [withFile({ content: "" }), /attachments\[0\]\.content/],
  "a data: address": [withFile({ content: "data:text/plain;base64,QQ==" }), /attachments\[0\]\.content/],
  "a file without a name": [withFile({ name: "" }), /attachments\[0\]\.name/],
  "a file with a path": [withFile({ name: "../a.pdf" }), /attachments\[0\]/],
  "a file with a line break in its name": [withFile({ name: "a\r\nb.pdf" }), /attachments\[0\]/],
  "a program": [withFile({ name: "a.exe" }), /attachments\[0\]/],
  "a file of a strange type": [withFile({ contentType: "pdf" }), /attachments\[0\]/],
  "eleven files": [
    { ...receiptBody(), attachments: Array.from({ length: 11 }, () => file()) },
    /attachments/,
  ],
  "files of more than 7 MB": [
    {
      ...receiptBody(),
      attachments: [file({ content: base64(Buffer.alloc(7_000_000)) }), file({ content: base64("a") })],
    },
    /attachments/,
  ],
};

describe("a request that cannot be sent", () => {
  for (const [name, [body, says]] of Object.entries(REFUSED))
    it(`is refused with its place and leaves nothing: ${name}`, async () => {
      const was = await rowsOf(house, project);
      const answer = await posted(project, body);
      const { error } = answer.body as { error?: string };
      assert.equal(answer.status, 400, error);
      assert.match(error ?? "", says);
      assert.deepEqual(await rowsOf(house, project), was);
    });

  it("is 413 over 10 MiB, and says what to do", async () => {
    const answer = await posted(project, withFile({ content: "A".repeat(11_000_000) }));
    assert.equal(answer.status, 413);
    assert.match(JSON.stringify(answer.body), /7 MB/);
  });

  it("is 404 for a template that is not there, and for the one of mail that code writes", async () => {
    assert.equal((await posted(project, { ...receiptBody(), template: "other" })).status, 404);
    await posted(project, own({}));
    const answer = await posted(project, { ...receiptBody(), template: "$code" });
    assert.ok([400, 404].includes(answer.status), `${answer.status}`);
    await house.drain();
    smtp.taken.length = 0;
  });
});

describe("what a request brings", () => {
  afterEach(async () => {
    await house.drain();
    smtp.taken.length = 0;
    assert.deepEqual(await house.differences(), {});
  });

  it("arrives in any script, and cannot add a header", async () => {
    const total = "Zwölf € 𝒳 \u202e مرحبا 🇪🇺 <b>&amp;</b> {{ data.number }} {% if %} \r\n.\r\nQUIT";
    await sendReceipt(project, {
      to: { email: "ada@example.com", name: "Ädä 🎉 Lovelace" },
      data: { number: "Ü\r\nBcc: eve@example.com", total },
    });
    await house.drain();
    const [mail] = smtp.taken;
    assert.ok(mail && smtp.taken.length === 1);
    const read = await simpleParser(mail.raw);
    assert.equal(read.bcc, undefined);
    assert.match(read.subject ?? "", /^Receipt Ü/);
    assert.equal(read.to && !Array.isArray(read.to) && read.to.value[0]?.name, "Ädä 🎉 Lovelace");
    assert.match(read.text ?? "", /Zwölf € 𝒳/);
    assert.match(read.text ?? "", /\{\{ data\.number \}\}/);
  });

  it("is one line of a header, though it has several", async () => {
    await sendReceipt(project, { to: { email: "ada@example.com", name: "Ada\r\nBcc: eve@example.com" } });
    await posted(project, own({ subject: "Hi\r\nBcc: eve@example.com\r\n\r\nNo body" }));
    await house.drain();
    assert.equal(smtp.taken.length, 2);
    for (const { raw, to } of smtp.taken) {
      const { bcc, subject, text } = await simpleParser(raw);
      assert.deepEqual([to, bcc], ["ada@example.com", undefined]);
      assert.match(subject ?? "", /^(Receipt A-1|Hi Bcc: eve@example\.com +No body)$/);
      assert.match(text ?? "", /Total: 24|Hi/);
    }
  });

  it("may be 7 MB of files, which arrive to the byte", async () => {
    const bytes = Buffer.alloc(6_999_000, 7);
    for (let at = 0; at < bytes.length; at += 3) bytes[at] = (at * 31) % 256;
    const files = [
      { name: "Rechnung März.pdf", contentType: "application/pdf", content: bytes },
      {
        name: "every byte.bin2",
        contentType: "application/octet-stream",
        content: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      },
      { name: "lines.txt", contentType: "text/plain", content: Buffer.from("a\r\n.\r\n..\nb\r") },
    ];
    const { id } = await sendReceipt(project, {
      attachments: files.map(({ content, ...rest }) => ({ ...rest, content: base64(content) })),
    });
    await house.drain();
    const [mail] = smtp.taken;
    assert.ok(mail);
    const { attachments } = await simpleParser(mail.raw);
    assert.deepEqual(
      attachments.map(({ filename, contentType, content }) => [
        filename,
        contentType,
        content.equals(files.find(({ name }) => name === filename)?.content ?? Buffer.alloc(0)),
      ]),
      files.map(({ name, contentType }) => [name, contentType, true]),
    );
    const { send } = await project.api.getSend({ path: { id } });
    assert.deepEqual(
      send.files.map(({ name, bytes: length }) => [name, length]),
      files.map(({ name, content }) => [name, content.length]),
    );
  });

  it("may have base64 without padding, and in lines", async () => {
    for (const content of ["QUI", "QUI=", "Q\r\nUI="]) {
      await sendReceipt(project, { attachments: [{ name: "a.txt", content }] });
      await house.drain();
    }
    for (const { raw } of smtp.taken)
      assert.equal((await simpleParser(raw)).attachments[0]?.content.toString(), "AB");
    assert.equal(smtp.taken.length, 3);
  });

  it("leaves at sendAt, and at once where that is past", async () => {
    const sendAt = house.now() + 30 * DAY_MS;
    const { id } = await sendReceipt(project, { sendAt, data: { number: "later", total: 1 } });
    await sendReceipt(project, { sendAt: house.now() - DAY_MS, data: { number: "past", total: 1 } });
    await house.drain();
    assert.equal(smtp.taken.length, 1);
    house.at(sendAt - 1);
    await house.drain();
    assert.equal(smtp.taken.length, 1);
    const read = async () => (await project.api.getSend({ path: { id } })).send;
    assert.deepEqual([(await read()).state, (await read()).sendAt], ["waiting", sendAt]);
    house.at(sendAt);
    await house.drain();
    assert.equal(smtp.taken.length, 2);
    assert.equal((await read()).state, "delivered");
  });
});
