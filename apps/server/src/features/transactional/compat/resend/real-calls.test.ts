import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CreateEmailOptions, Resend } from "resend";
import { captureCall } from "../../../../../test/captured-calls.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { parseField } from "../../../../platform/http/contract/parse-field.ts";
import { resend as dialect } from "./dialect.ts";
import { lastEventOf, mailOfResend } from "./rules.ts";
import { ResendMail } from "./schema.ts";

const clientAt = (host: string): Resend =>
  new Resend("pk_send_x", { baseUrl: `http://${host}/compat/resend` });

const read = (body: unknown) => mailOfResend(parseField(ResendMail, body, []));

/** A mail as the package sends it, and as it is read here. */
async function sent(payload: CreateEmailOptions) {
  const { captured } = await captureCall((host) => clientAt(host).emails.send(payload));
  return { ...captured, mail: read(captured.body) };
}

const MAIL = { from: "Acme <news@acme.example>", to: "ada@example.com", subject: "Hello", text: "Hi" };

/** The refusal of a body, in Resend's shape. */
function refusalOf(change: Readonly<Record<string, unknown>>) {
  try {
    read({ ...MAIL, ...change });
  } catch (error) {
    if (error instanceof ApiError) return dialect.refusal(error, true);
    throw error;
  }
  return assert.fail("it was taken");
}

describe("what the package resend sends", () => {
  it("is read with all its fields", async () => {
    const bytes = Buffer.from([0, 1, 2, 254, 255]);
    const { path, method, headers, mail } = await sent({
      from: "Acme <news@acme.example>",
      to: ["ada@example.com", "Bob <bob@example.com>"],
      cc: "carl@example.com",
      bcc: ["dora@example.com"],
      replyTo: ["help@acme.example", "Sales <sales@acme.example>"],
      subject: "Your receipt",
      html: "<p>Thanks</p>",
      text: "Thanks",
      headers: { "X-Entity-Ref-ID": "42" },
      attachments: [
        { filename: "receipt.pdf", content: bytes },
        { filename: "logo", content: bytes.toString("base64"), contentType: "image/png", contentId: "logo" },
      ],
      tags: [{ name: "kind", value: "receipt" }],
      scheduledAt: "2026-02-01T09:00:00.000Z",
    });
    assert.deepEqual(
      [method, path, headers.authorization],
      ["POST", "/compat/resend/emails", "Bearer pk_send_x"],
    );
    assert.deepEqual(mail, {
      content: { own: { subject: "Your receipt", html: "<p>Thanks</p>", text: "Thanks" } },
      from: { name: "Acme", address: "news@acme.example" },
      to: [
        { name: null, address: "ada@example.com" },
        { name: "Bob", address: "bob@example.com" },
      ],
      cc: [{ name: null, address: "carl@example.com" }],
      bcc: [{ name: null, address: "dora@example.com" }],
      replyTo: [
        { name: null, address: "help@acme.example" },
        { name: "Sales", address: "sales@acme.example" },
      ],
      headers: [["X-Entity-Ref-ID", "42"]],
      attachments: [
        { name: "receipt.pdf", contentType: "application/pdf", content: bytes, contentId: null },
        { name: "logo", contentType: "image/png", content: bytes, contentId: "logo" },
      ],
      sendAt: Date.UTC(2026, 1, 1, 9),
      tags: { kind: "receipt" },
    });
  });

  it("is read where it has a template", async () => {
    const { mail } = await sent({
      to: "ada@example.com",
      template: { id: "order-paid", variables: { name: "Ada", total: 49 } },
    });
    assert.deepEqual(mail.content, { template: "order-paid", data: { name: "Ada", total: 49 } });
    assert.equal(mail.from, null);
  });

  it("has its Idempotency-Key as a header, and a batch is a list", async () => {
    const one = await captureCall((host) => clientAt(host).emails.send(MAIL, { idempotencyKey: "order/1" }));
    assert.equal(one.captured.headers["idempotency-key"], "order/1");
    for (const batchValidation of ["strict", "permissive"] as const) {
      const { captured } = await captureCall((host) =>
        clientAt(host).batch.send([MAIL, MAIL], { batchValidation }),
      );
      assert.equal(captured.path, "/compat/resend/emails/batch");
      assert.equal(captured.headers["x-batch-validation"], batchValidation);
      assert.deepEqual((captured.body as unknown[]).map(read), [read(MAIL), read(MAIL)]);
    }
  });

  it("gets our refusals as its own", async () => {
    const { status, body } = refusalOf({ to: "ada" });
    const { result } = await captureCall((host) => clientAt(host).emails.send(MAIL), { status, body });
    assert.deepEqual((result as { error: unknown }).error, {
      statusCode: 422,
      name: "validation_error",
      message: "to must be an address such as ada@example.com or Ada <ada@example.com>",
    });
  });
});

describe("a mail that is refused says what is wrong with it:", () => {
  const fifty = Array.from({ length: 50 }, (_, index) => `user-${index}@example.com`);
  const cases: readonly [Readonly<Record<string, unknown>>, string, RegExp][] = [
    [{ to: undefined }, "missing_required_field", /^Missing `to` field/],
    [{ from: undefined }, "missing_required_field", /^Missing `from` field/],
    [{ subject: undefined }, "missing_required_field", /^Missing `subject` field/],
    [{ text: undefined }, "missing_required_field", /^Missing `html` field: html is required, or text/],
    [{ to: [] }, "validation_error", /^to must have an address/],
    [{ to: fifty, cc: "one@example.com" }, "validation_error", /^to must have at most 50/],
    [{ from: "Acme" }, "validation_error", /^from must be an address/],
    [{ reply_to: ["x"] }, "validation_error", /^reply_to must be an address/],
    [{ scheduled_at: "in 1 min" }, "validation_error", /^scheduled_at must be an ISO-8601/],
    [{ topic_id: "news" }, "validation_error", /^topic_id must be left out/],
    [{ headers: { "X Y": "1" } }, "validation_error", /header/],
    [{ headers: { "X-Y": "1\r\nBcc: eve@example.com" } }, "validation_error", /must be on one line/],
    [{ tags: [{ name: "a b", value: "c" }] }, "validation_error", /^tags\[0\]\.name must be/],
    [{ template: { id: "x" } }, "validation_error", /^subject must be left out/],
    [
      { attachments: [{ path: "https://x.example/a.pdf", filename: "a.pdf" }] },
      "validation_error",
      /^attachments\[0\]\.path must be left out/,
    ],
    [
      { attachments: [{ content: "%%%", filename: "a.pdf" }] },
      "validation_error",
      /^attachments\[0\]\.content must be/,
    ],
    [{ attachments: [{ content: "QQ=", filename: "a.pdf" }] }, "validation_error", /content must be a file/],
    [{ attachments: [{ content: "QR==", filename: "a.pdf" }] }, "validation_error", /content must be a file/],
    [{ attachments: [{ content: "QUJD" }] }, "validation_error", /^attachments\[0\]\.filename must be/],
    [{ subjekt: "x" }, "validation_error", /^subjekt: unknown field, did you mean subject\?/],
  ];
  for (const [change, name, message] of cases)
    it(JSON.stringify(change).slice(0, 60), () => {
      const { status, body } = refusalOf(change);
      assert.deepEqual([status, body.statusCode, body.name], [422, 422, name]);
      assert.match(String(body.message), message);
    });
});

describe("what became of a mail last", () => {
  const NOW = 1_000_000;
  const nothing = { sendAt: null, openedAt: null, clickedAt: null };
  it("is said in Resend's words", () => {
    for (const [send, event] of [
      [{ state: "waiting" }, "queued"],
      [{ state: "sending" }, "queued"],
      [{ state: "waiting", sendAt: NOW + 1 }, "scheduled"],
      [{ state: "waiting", sendAt: NOW }, "queued"],
      [{ state: "sent" }, "sent"],
      [{ state: "unknown" }, "sent"],
      [{ state: "delivered" }, "delivered"],
      [{ state: "sent", openedAt: 1 }, "opened"],
      [{ state: "delivered", openedAt: 1, clickedAt: 2 }, "clicked"],
      [{ state: "bounced" }, "bounced"],
      [{ state: "complained", openedAt: 1 }, "complained"],
      [{ state: "failed" }, "failed"],
      [{ state: "suppressed" }, "suppressed"],
    ] as const)
      assert.equal(lastEventOf({ ...nothing, ...send }, NOW), event, JSON.stringify(send));
  });
});
