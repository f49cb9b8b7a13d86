import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../../../test/harness.ts";
import {
  type MailOptions,
  postInbound,
  sentMail,
  suppressionOf,
  type TestMail,
  watchedMail,
} from "../../../../../test/mail.ts";
import { createSecrets } from "../../../../platform/secrets/secrets.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});
const post = (raw: string | Buffer<ArrayBuffer>, type?: string) => postInbound(house, raw, type);
const message = (options?: MailOptions) => watchedMail(house, options);

type Dsn = {
  action?: string;
  status?: string;
  type?: string;
  /** What the receiving server diagnostic; null where the report does not tell. */
  diagnostic?: string | null;
  id?: string;
  eol?: string;
  more?: string;
  disposition?: string;
};

const UNKNOWN = `smtp; 550 5.1.1 <anna@example.com>: Recipient address
    rejected: User unknown in virtual mailbox table`;

const recipient = (
  action: string,
  status: string,
  diagnostic: string | null,
): string => `Original-Recipient: rfc822;anna@example.com
Final-Recipient: rfc822;anna@example.com
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.example.com${diagnostic === null ? "" : `\nDiagnostic-Code: ${diagnostic}`}`;

const returned = (id: string): string => `Received: from tidings.example (tidings.example [192.0.2.1])
	by mx.example.net (Postfix) with ESMTPS id 4XYZ
From: News <news@acme.example>
To: anna@example.com
Subject: =?utf-8?q?Hello=20Ann=C3=A4?=
Message-ID:
 <${id}>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Message-ID: <not-this-one@acme.example>
`;

/** What a mail server sends back (RFC 3464). */
function dsn(mail: TestMail, options: Dsn = {}): string {
  const {
    action = "failed",
    status = "5.1.1",
    type = "message/rfc822",
    eol = "\r\n",
    more = "",
    disposition,
    diagnostic = UNKNOWN,
  } = options;
  const id = options.id ?? `${mail.messageToken}@acme.example`;
  const text = `Return-Path: <>
Date: Thu, 15 Jan 2026 12:00:00 +0000
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: bounces@acme.example
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="4XYZ.1768478400/mx.example.net"
Message-Id: <20260115120000.4XYZ@mx.example.net>

This is a MIME-encapsulated message.

--4XYZ.1768478400/mx.example.net
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients.

--4XYZ.1768478400/mx.example.net
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4XYZ
Arrival-Date: Thu, 15 Jan 2026 12:00:00 +0000 (UTC)

${recipient(action, status, diagnostic)}
${more}
--4XYZ.1768478400/mx.example.net
Content-Description: Undelivered Message
Content-Type: ${type}${disposition === undefined ? "" : `\nContent-Disposition: ${disposition}`}

${returned(id)}
--4XYZ.1768478400/mx.example.net--
`;
  return text.replaceAll("\n", eol);
}

/** What a mailbox provider sends when a recipient complains (RFC 5965). */
const arf = (mail: TestMail, kind = "abuse", id = `${mail.messageToken}@acme.example`): string =>
  `From: <abusedesk@example.com>
Date: Thu, 15 Jan 2026 12:00:00 +0000
Subject: FW: Earn money
To: <abuse@acme.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report;
     boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"
Content-Transfer-Encoding: 7bit

This is an email abuse report.

--part1_13d.2e68ed54_boundary
Content-Type: message/feedback-report

Feedback-Type: ${kind}
User-Agent: SomeGenerator/1.0
Version: 1

--part1_13d.2e68ed54_boundary
Content-Type: message/rfc822
Content-Disposition: inline

${returned(id)}
--part1_13d.2e68ed54_boundary--
`.replaceAll("\n", "\r\n");

describe("a returned mail", () => {
  /** What came back, what becomes of the message, and whether its address gets no more mail. */
  const cases: readonly [string, Dsn, string | null, isGone?: true][] = [
    ["failed for good", {}, "bounced", true],
    ["failed for good, headers alone", { type: "text/rfc822-headers" }, "bounced", true],
    ["failed for good, with the returned message in line", { disposition: "inline" }, "bounced", true],
    [
      "failed for good, with the returned message attached",
      { disposition: "attachment; filename=x.eml" },
      "bounced",
      true,
    ],
    ["failed for good, lines as on Unix", { eol: "\n" }, "bounced", true],
    [
      "failed, in other case and with a comment",
      { action: "Failed (no such user)", status: "5.1.1 (bad)" },
      "bounced",
      true,
    ],
    ["failed, and the status alone says why", { diagnostic: null }, "bounced", true],
    ["failed, and the server diagnostic more than the status", { status: "5.0.0" }, "bounced", true],
    [
      "failed for the mailbox, which is full",
      { status: "5.2.2", diagnostic: "smtp; 552 5.2.2 over quota" },
      "bounced",
    ],
    [
      "failed for the sender's DMARC",
      {
        status: "5.7.26",
        diagnostic: `smtp; 550-5.7.26 Unauthenticated email from acme.example is not
    550-5.7.26 accepted due to the domain's DMARC policy. 550 5.7.26 x - gsmtp`,
      },
      "bounced",
    ],
    [
      "failed for the sender's address, with the words of an unknown user",
      {
        status: "5.1.0",
        diagnostic: "smtp; 550 5.1.0 <news@acme.example>: Sender address rejected: User unknown",
      },
      "bounced",
    ],
    ["failed for its size", { status: "5.3.4", diagnostic: "smtp; 552 5.3.4 Message too large" }, "bounced"],
    [
      "failed for a block, under the status of a dead address",
      { diagnostic: "smtp; 550 5.7.1 blacklisted" },
      "bounced",
    ],
    [
      "failed, too many tries",
      { status: "4.4.1", diagnostic: "x-postfix; connect to mx: timed out" },
      "bounced",
    ],
    [
      "failed after waiting for a user",
      { status: "4.1.1", diagnostic: "smtp; 450 4.1.1 user unknown" },
      "bounced",
    ],
    ["failed, of no certain kind", { status: "5", diagnostic: null }, "bounced"],
    ["delayed", { action: "delayed", status: "4.4.1" }, null],
    ["delayed, with a status of failures", { action: "delayed", status: "5.1.1" }, null],
    ["expanded", { action: "expanded", status: "2.0.0" }, null],
    ["delivered", { action: "delivered", status: "2.0.0" }, "delivered"],
    ["relayed", { action: "relayed", status: "2.0.0" }, "delivered"],
    [
      "delivered to one mailbox behind the address, and another one is gone",
      { action: "delivered", status: "2.0.0", more: `\n${recipient("failed", "5.2.1", UNKNOWN)}\n` },
      "delivered",
    ],
    [
      "refused by one mailbox behind the address, and another one is gone",
      { status: "5.7.1", diagnostic: null, more: `\n${recipient("failed", "5.1.1", UNKNOWN)}\n` },
      "bounced",
      true,
    ],
  ];
  for (const [name, options, event, isGone] of cases) {
    it(`${name}: ${event ?? "nothing"}${isGone ? ", and the address gets no more mail" : ""}`, async () => {
      const { mail, fate, suppression } = await message();
      const at = house.now();
      for (let i = 0; i < 2; i++) {
        assert.equal(await post(dsn(mail, options)), 200);
        house.advance(1_000);
      }
      const { state, instants, counted } = await fate();
      assert.equal(state, event ?? "sent");
      if (event !== null) assert.deepEqual([instants[event], counted[event]], [at, 1]);
      assert.equal(await suppression(), isGone ? "bounced" : null);
      await healthy();
    });
  }

  it("is taken whatever its type is diagnostic to be", async () => {
    for (const type of [
      "text/plain",
      "application/octet-stream",
      "application/json",
      "multipart/form-data",
      "x",
    ]) {
      const { mail, fate } = await message();
      assert.equal(await post(Buffer.from(dsn(mail)), type), 200);
      assert.equal((await fate()).state, "bounced", type);
    }
  });

  it("proves that an unknown message left", async () => {
    const { mail, fate } = await message({ status: "unknown" });
    const leftAt = house.now() - 60_000;
    await post(dsn(mail));
    const { state, instants } = await fate();
    assert.deepEqual([state, instants.sent], ["bounced", leftAt]);
    await healthy();
  });

  it("of somebody who was erased stops mail to the address", async () => {
    const { project, mail } = await message();
    await project.api.eraseUser({ path: { id: mail.userId } });
    assert.equal(await post(dsn(mail)), 200);
    assert.equal(await suppressionOf(house, project, mail.address), "bounced");
    await healthy();
  });
});

describe("a complaint", () => {
  for (const [kind, event] of [
    ["abuse", "complained"],
    ["Abuse", "complained"],
    ["not-spam", null],
    ["fraud", null],
    ["auth-failure", null],
    ["other", null],
  ] as const) {
    it(`of kind ${kind} is ${event ?? "none"}`, async () => {
      const { mail, fate, suppression } = await message();
      assert.equal(await post(arf(mail, kind)), 200);
      assert.deepEqual([(await fate()).state, await suppression()], [event ?? "sent", event]);
      await healthy();
    });
  }
});

describe("what is no report of a message of ours", () => {
  it("is refused, and nothing changed", async () => {
    const { mail, fate, suppression } = await message();
    const before = await fate();
    const { messageToken: token } = mail;
    const linkToken = mail.link("x").split("/")[4] ?? "";
    const stranger = createSecrets(Buffer.alloc(32, 1)).derive("email links").toString("base64url");
    const ids = [
      linkToken,
      token.slice(0, -1),
      `${token}A`,
      `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`,
      `${token.slice(0, 43)}${stranger.slice(0, 22)}`,
      mail.deliveryId,
      "20260115120000.4XYZ",
    ];
    for (const id of ids) {
      assert.equal(await post(dsn(mail, { id: `${id}@acme.example` })), 401, id);
      assert.equal(await post(arf(mail, "abuse", `${id}@acme.example`)), 401, id);
    }
    const whole = dsn(mail);
    const others = [
      "",
      "x",
      "\0\0\0",
      whole.slice(0, 500),
      // Our Message-ID in other places than the header of the message that came back.
      whole.replace(/Message-ID:\r\n <[^>]+>/, "Message-ID: <x@acme.example>").replace("not-this-one", token),
      whole.replace("User unknown", `<${token}@acme.example>`).replace(/Message-ID:\r\n <[^>]+>\r\n/, ""),
      // An answer to the message, and the message itself.
      `From: a@example.com\r\nIn-Reply-To: <${token}@acme.example>\r\nSubject: Re: Hello\r\n\r\nUnsubscribe me!\r\n`,
      returned(`${token}@acme.example`),
      // A report without a status, and one without a returned message.
      whole.replace("message/delivery-status", "text/plain"),
      whole.replace("message/rfc822", "text/plain"),
    ];
    for (const raw of others) assert.equal(await post(raw), 401, raw.slice(0, 80));
    assert.deepEqual([await fate(), await suppression()], [before, null]);
  });

  it("is refused when it is larger than any report", async () => {
    const { mail, fate } = await message();
    assert.equal(await post(dsn(mail) + " ".repeat(262_144)), 413);
    assert.equal(await post(dsn(mail) + " ".repeat(250_000)), 200);
    assert.equal((await fate()).state, "bounced");
  });

  const part = "--4XYZ.1768478400/mx.example.net\r\nContent-Type: message/rfc822\r\n\r\n";
  const nested = '--b\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n';
  /** Mails that a careless parser would take long to read, and whether the report in them is still found. */
  const heavy: readonly [name: string, make: (whole: string) => string, status: number][] = [
    ["addresses", (whole) => whole.replace("To: ", `To: ${"a@b.c, ".repeat(9_000)}`), 200],
    ["groups of addresses", (whole) => `Cc: ${"g:".repeat(31_000)}\r\n${whole}`, 200],
    ["a header beyond 64 KiB", (whole) => `Cc: ${"g:".repeat(100_000)}\r\n${whole}`, 401],
    ["a header of 1,001 lines", (whole) => "a: b\r\n".repeat(1_001) + whole, 401],
    [
      "many parts",
      (whole) => whole.replace("--4XYZ.1768478400/mx.example.net\r\nContent-Desc", `${part.repeat(3_000)}$&`),
      401,
    ],
    ["many fields", (whole) => whole.replace("Action:", `${"a: b\r\n".repeat(40_000)}Action:`), 200],
    ["folded lines", (whole) => whole.replace("Action:", `X: ${"\r\n ".repeat(80_000)}\r\nAction:`), 200],
    ["empty lines", (whole) => whole.replace("Action:", `${"\r\n \t".repeat(60_000)}\r\nAction:`), 200],
    [
      "lines like a boundary",
      (whole) => `${whole}${"\n--4XYZ.1768478400/mx.example.net".repeat(7_000)}x`,
      200,
    ],
    ["tokens", () => `<${"A".repeat(65)}@`.repeat(3_800), 401],
    [
      "nested parts",
      (whole) =>
        whole.replace("multipart/report", `multipart/mixed; boundary=b\r\n\r\n${nested.repeat(4_500)}`),
      401,
    ],
  ];
  for (const [name, make, status] of heavy)
    it(`${status === 200 ? "does not keep a report from being found" : "is refused"}: ${name}`, async () => {
      const { mail } = await message();
      const raw = make(dsn(mail));
      assert.ok(raw.length > 50_000 || name.includes("lines"), `${raw.length}`);
      assert.ok(raw.length < 262_144, `${raw.length}`);
      assert.equal(await post(raw), status);
    });

  it("is read for one message twenty times an hour, and again after that", async () => {
    const { mail } = await message();
    const other = await message();
    const reply = `From: a@example.com\r\nIn-Reply-To: <${mail.messageToken}@acme.example>\r\n\r\nHello\r\n`;
    for (let i = 0; i < 20; i++) assert.equal(await post(reply), 401);
    assert.equal(await post(dsn(mail)), 429);
    assert.equal(await post(dsn(other.mail)), 200);
    house.advance(3_600_000);
    assert.equal(await post(dsn(mail)), 200);
  });
});

describe("a report that comes late", () => {
  const DAY = 86_400_000;

  it("counts on the thirtieth day", async () => {
    const { mail, fate } = await message();
    house.advance(30 * DAY - 60_000);
    assert.equal(await post(dsn(mail)), 200);
    assert.equal((await fate()).state, "bounced");
  });

  it("is thanked for after that, and nothing: a Message-ID travels on in replies and archives", async () => {
    const { mail, fate, suppression } = await message();
    const before = await fate();
    house.advance(30 * DAY);
    for (const raw of [dsn(mail), arf(mail)]) assert.equal(await post(raw), 200);
    assert.deepEqual([await fate(), await suppression()], [before, null]);
    await healthy();
  });
});

describe("mail that comes back for a reason that passes", () => {
  const FULL = { status: "5.2.2", diagnostic: "smtp; 552 5.2.2 Mailbox full" };
  const REFUSED = { status: "5.7.1", diagnostic: "smtp; 550 5.7.1 Looks like spam" };

  /** Mails to one address, two days apart, which come back a day later, or were delivered. */
  async function address(reports: readonly (Dsn | "delivered")[]): Promise<string | null> {
    const project = await house.project();
    for (const report of reports) {
      const mail = await sentMail(house, project);
      house.advance(DAY_MS);
      const raw =
        report === "delivered" ? dsn(mail, { action: "delivered", status: "2.0.0" }) : dsn(mail, report);
      // The same report again says nothing new.
      for (let time = 0; time < 2; time++) assert.equal(await post(raw), 200);
      house.advance(DAY_MS);
    }
    await healthy();
    return suppressionOf(house, project, "anna@example.com");
  }

  it("stops mail to its address with the fifth in a row over seven days", async () => {
    assert.equal(await address(Array(4).fill(FULL)), null);
    assert.equal(await address(Array(5).fill(FULL)), "bounced");
  });

  it("is counted anew after mail that arrived, and not where the mail itself was refused", async () => {
    assert.equal(await address([FULL, FULL, FULL, "delivered", FULL, FULL]), null);
    assert.equal(await address([FULL, FULL, FULL, "delivered", ...Array(5).fill(FULL)]), "bounced");
    assert.equal(await address(Array(6).fill(REFUSED)), null);
  });
});

describe("the parts of a report", () => {
  const inside = (mail: TestMail, encoding: string, encode: (text: string) => string): string => {
    const [before = "", after = ""] = dsn(mail).split("Reporting-MTA");
    const [status = "", rest = ""] = `Reporting-MTA${after}`.split(/(?=--4XYZ)/s);
    return `${before.trimEnd()}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${encode(status)}\r\n${rest}${`Reporting-MTA${after}`
      .split(/(?=--4XYZ)/s)
      .slice(2)
      .join("")}`;
  };
  const cases: readonly [string, (mail: TestMail) => string][] = [
    ["in base64", (mail) => inside(mail, "base64", (text) => Buffer.from(text).toString("base64"))],
    [
      "in quoted-printable",
      (mail) => inside(mail, "Quoted-Printable", (text) => text.replace("5.1.1", "5=2E1.=\r\n1")),
    ],
    [
      "within another mail of parts",
      (mail) =>
        `Content-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\n${dsn(mail)}\r\n--outer--\r\n`,
    ],
    ["without an end", (mail) => dsn(mail).replace(/--\r\n$/, "")],
    [
      "after a blank line and with spaces behind its boundaries",
      (mail) => `\r\n${dsn(mail).replaceAll("example.net\r\nContent-D", "example.net \t\r\nContent-D")}`,
    ],
  ];
  for (const [name, make] of cases)
    it(`are found ${name}`, async () => {
      const { mail, fate } = await message();
      assert.equal(await post(make(mail)), 200);
      assert.equal((await fate()).state, "bounced");
    });
});
