import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Attachment, Errors, Header, Message, type Models, ServerClient, TemplatedMessage } from "postmark";
import type { z } from "zod";
import { captureCall } from "../../../../../test/captured-calls.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { parseField } from "../../../../platform/http/contract/parse-field.ts";
import { postmark as dialect, inactiveRecipients } from "./dialect.ts";
import { mailOfPostmark, templatedMailOfPostmark, writtenList } from "./rules.ts";
import { PostmarkMail, PostmarkTemplatedMail } from "./schema.ts";

const clientAt = (host: string): ServerClient =>
  new ServerClient("pk_send_x", { useHttps: false, requestHost: `${host}/compat/postmark` });

const read = (body: unknown) => mailOfPostmark(parseField(PostmarkMail, body, []));
const readTemplated = (body: unknown) => templatedMailOfPostmark(parseField(PostmarkTemplatedMail, body, []));

const MAIL = { From: "news@acme.example", To: "ada@example.com", Subject: "Hello", TextBody: "Hi" };
const TEMPLATED = {
  From: "news@acme.example",
  To: "ada@example.com",
  TemplateAlias: "welcome",
  TemplateModel: {},
};

/** The refusal of a body, in Postmark's shape. */
function refusalOf(shape: z.ZodType, body: Readonly<Record<string, unknown>>) {
  try {
    parseField(shape, body, []);
  } catch (error) {
    if (error instanceof ApiError) return dialect.refusal(error, true);
    throw error;
  }
  return assert.fail("it was taken");
}

describe("what the package postmark sends", () => {
  it("is read with all its fields", async () => {
    const bytes = Buffer.from([0, 1, 2, 254, 255]);
    const message: Models.Message = {
      From: '"Acme, Inc" <news@acme.example>',
      To: 'ada@example.com, "Bob, B" <bob@example.com>',
      Cc: "carl@example.com",
      Bcc: "dora@example.com",
      ReplyTo: "help@acme.example",
      Subject: "Your receipt",
      HtmlBody: "<p>Thanks</p>",
      TextBody: "Thanks",
      Tag: "receipt",
      Metadata: { order: "42" },
      MessageStream: "orders",
      TrackOpens: true,
      Headers: [new Header("X-Order", "42")],
      Attachments: [new Attachment("logo.png", bytes.toString("base64"), "image/png", "cid:logo")],
    };
    const { captured } = await captureCall((host) => clientAt(host).sendEmail(message));
    assert.deepEqual(
      [captured.method, captured.path, captured.headers["x-postmark-server-token"]],
      ["POST", "/compat/postmark/email", "pk_send_x"],
    );
    assert.deepEqual(read(captured.body), {
      content: { own: { subject: "Your receipt", html: "<p>Thanks</p>", text: "Thanks" } },
      from: { name: "Acme, Inc", address: "news@acme.example" },
      to: [
        { name: null, address: "ada@example.com" },
        { name: "Bob, B", address: "bob@example.com" },
      ],
      cc: [{ name: null, address: "carl@example.com" }],
      bcc: [{ name: null, address: "dora@example.com" }],
      replyTo: [{ name: null, address: "help@acme.example" }],
      headers: [["X-Order", "42"]],
      attachments: [{ name: "logo.png", contentType: "image/png", content: bytes, contentId: "logo" }],
      sendAt: null,
      tags: { order: "42", Tag: "receipt", MessageStream: "orders" },
    });
  });

  it("is read where its classes made it", async () => {
    const own = new Message("news@acme.example", "Hello", "<p>Hi</p>", undefined, "ada@example.com");
    const { captured } = await captureCall((host) => clientAt(host).sendEmail(own));
    assert.equal(read(captured.body).to[0]?.address, "ada@example.com");
    for (const [template, key] of [
      ["welcome", "welcome"],
      [1_234_567, "1234567"],
    ] as const) {
      const templated = new TemplatedMessage(
        "news@acme.example",
        template,
        { name: "Ada" },
        "ada@example.com",
      );
      const call = await captureCall((host) => clientAt(host).sendEmailWithTemplate(templated));
      assert.equal(call.captured.path, "/compat/postmark/email/withTemplate");
      assert.deepEqual(readTemplated(call.captured.body).content, { template: key, data: { name: "Ada" } });
    }
  });

  it("is a list in a batch, and a list in an object where it has templates", async () => {
    const batch = await captureCall((host) => clientAt(host).sendEmailBatch([MAIL, MAIL]));
    assert.equal(batch.captured.path, "/compat/postmark/email/batch");
    assert.deepEqual((batch.captured.body as unknown[]).map(read), [read(MAIL), read(MAIL)]);
    const templated = await captureCall((host) => clientAt(host).sendEmailBatchWithTemplates([TEMPLATED]));
    assert.equal(templated.captured.path, "/compat/postmark/email/batchWithTemplates");
    const { Messages } = templated.captured.body as { Messages: unknown[] };
    assert.deepEqual(Messages.map(readTemplated), [readTemplated(TEMPLATED)]);
  });

  it("gets our refusals as its own errors", async () => {
    const cases: readonly [ApiError, new (...args: never[]) => Error, number, number][] = [
      [new ApiError("unauthorized"), Errors.InvalidAPIKeyError, 10, 401],
      [new ApiError("forbidden"), Errors.InvalidAPIKeyError, 10, 401],
      [new ApiError("invalid_request", "To must be …"), Errors.InvalidEmailRequestError, 300, 422],
      [new ApiError("rate_limited"), Errors.RateLimitExceededError, 429, 429],
      [new ApiError("internal"), Errors.InternalServerError, 100, 500],
      [new ApiError("unavailable"), Errors.ServiceUnavailablerError, 100, 503],
      [inactiveRecipients(["a@x.example", "b@x.example"]), Errors.InactiveRecipientsError, 406, 422],
    ];
    for (const [refusal, kind, code, statusCode] of cases) {
      const answered = captureCall((host) => clientAt(host).sendEmail(MAIL), dialect.refusal(refusal, true));
      await assert.rejects(answered, (error: Errors.PostmarkError) => {
        assert.ok(error instanceof kind, error.name);
        assert.deepEqual([error.code, error.statusCode], [code, statusCode]);
        if (error instanceof Errors.InactiveRecipientsError)
          assert.deepEqual(error.recipients, ["a@x.example", "b@x.example"]);
        return true;
      });
    }
  });
});

describe("a mail that is refused says what is wrong with it:", () => {
  const cases: readonly [z.ZodType, Readonly<Record<string, unknown>>, RegExp][] = [
    [PostmarkMail, { To: undefined }, /^To is required/],
    [PostmarkMail, { To: "" }, /^To must have an address/],
    [PostmarkMail, { From: undefined }, /^From is required/],
    [PostmarkMail, { Subject: undefined }, /^Subject is required/],
    [PostmarkMail, { TextBody: undefined }, /^HtmlBody is required, or TextBody/],
    [PostmarkMail, { Cc: "carl" }, /^Cc must be an address/],
    [PostmarkMail, { MessageStream: "broadcast" }, /^MessageStream must be a stream of receipts/],
    [PostmarkMail, { Headers: [{ Name: "X-Y", Value: "a\nb" }] }, /^Headers\[0\]\.Value must be on one line/],
    [PostmarkMail, { Metadata: { order: 42 } }, /^Metadata\.order must be a string/],
    [
      PostmarkTemplatedMail,
      { ...TEMPLATED, TemplateAlias: undefined, Subject: undefined, TextBody: undefined },
      /^TemplateAlias is required, or TemplateId/,
    ],
    [
      PostmarkTemplatedMail,
      { ...TEMPLATED, TemplateId: 5, Subject: undefined, TextBody: undefined },
      /^TemplateId must be left out/,
    ],
    [
      PostmarkTemplatedMail,
      { TemplateModel: {}, TemplateAlias: "x", TextBody: undefined },
      /^Subject: unknown field/,
    ],
  ];
  for (const [shape, change, message] of cases)
    it(JSON.stringify(change).slice(0, 60), () => {
      const given = JSON.parse(JSON.stringify({ ...MAIL, ...change })) as Record<string, unknown>;
      const { status, body } = refusalOf(shape, given);
      assert.deepEqual([status, body.ErrorCode], [422, 300]);
      assert.match(String(body.Message), message);
    });
});

describe("a list of mailboxes", () => {
  it("is written so that it reads as the same list", () => {
    const boxes = [
      { name: null, address: "a@x.example" },
      { name: 'B "b", B', address: "b@x.example" },
    ];
    assert.deepEqual(read({ ...MAIL, To: writtenList(boxes) }).to, boxes);
  });
});
