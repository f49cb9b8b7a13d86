import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../../test/harness.ts";
import { fateOf, sentMail, suppressionOf, type TestMail } from "../../../../test/mail.ts";
import { createSecrets } from "../../../platform/secrets.ts";

const house = testHouse();

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

async function post(raw: string | Buffer<ArrayBuffer>, type = "message/rfc822") {
  const answer = await fetch(`${house.url}/hooks/email/inbound`, {
    method: "POST",
    headers: { "content-type": type },
    body: raw,
  });
  return answer.status;
}

async function message(options?: Parameters<typeof sentMail>[2]) {
  const project = await house.project();
  const mail = await sentMail(house, project, options);
  house.advance(60_000);
  return {
    ...{ project, mail },
    fate: () => fateOf(house, project, mail),
    suppression: () => suppressionOf(house, project, mail.address),
  };
}

type Dsn = {
  action?: string;
  status?: string;
  type?: string;
  id?: string;
  eol?: string;
  more?: string;
  disposition?: string;
};

const recipient = (action: string, status: string): string => `Original-Recipient: rfc822;anna@example.com
Final-Recipient: rfc822;anna@example.com
Action: ${action}
Status: ${status}
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 550 5.1.1 <anna@example.com>: Recipient address
    rejected: User unknown in virtual mailbox table`;

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

${recipient(action, status)}
${more}
--4XYZ.1768478400/mx.example.net
Content-Description: Undelivered Message
Content-Type: ${type}${disposition === undefined ? "" : `\nContent-Disposition: ${disposition}`}

${returned(id)}
--4XYZ.1768478400/mx.example.net--
`;
  return text.replaceAll("\n", eol);
}

/** What a mailbox provider sends when somebody complains (RFC 5965). */
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
  const cases: readonly [string, Dsn, string | null][] = [
    ["failed for good", {}, "bounced"],
    ["failed for good, headers alone", { type: "text/rfc822-headers" }, "bounced"],
    ["failed for good, with the returned message in line", { disposition: "inline" }, "bounced"],
    [
      "failed for good, with the returned message attached",
      { disposition: "attachment; filename=x.eml" },
      "bounced",
    ],
    ["failed for good, lines as on Unix", { eol: "\n" }, "bounced"],
    [
      "failed, in other case and with a comment",
      { action: "Failed (no such user)", status: "5.1.1 (bad)" },
      "bounced",
    ],
    ["failed, too many tries", { status: "4.4.1" }, null],
    ["failed, of no certain kind", { status: "5" }, null],
    ["delayed", { action: "delayed", status: "4.4.1" }, null],
    ["delayed, with a status of failures", { action: "delayed", status: "5.1.1" }, null],
    ["expanded", { action: "expanded", status: "2.0.0" }, null],
    ["delivered", { action: "delivered", status: "2.0.0" }, "delivered"],
    ["relayed", { action: "relayed", status: "2.0.0" }, "delivered"],
    [
      "delivered to one and refused by another",
      { action: "delivered", status: "2.0.0", more: `\n${recipient("failed", "5.2.1")}\n` },
      "bounced",
    ],
  ];
  for (const [name, options, moment] of cases) {
    it(`${name}: ${moment ?? "nothing"}`, async () => {
      const { mail, fate, suppression } = await message();
      const at = house.now();
      for (let i = 0; i < 2; i++) {
        assert.equal(await post(dsn(mail, options)), 200);
        house.advance(1_000);
      }
      const { state, instants, counted } = await fate();
      assert.equal(state, moment ?? "sent");
      if (moment !== null) assert.deepEqual([instants[moment], counted[moment]], [at, 1]);
      assert.equal(await suppression(), moment === "bounced" ? "bounced" : null);
      await healthy();
    });
  }

  it("is taken whatever its type is said to be", async () => {
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

  it("of somebody who was erased is thanked for, and nothing", async () => {
    const { project, mail } = await message();
    await project.api.eraseUser({ path: { id: mail.userId } });
    assert.equal(await post(dsn(mail)), 200);
    await healthy();
  });
});

describe("a complaint", () => {
  for (const [kind, moment] of [
    ["abuse", "complained"],
    ["Abuse", "complained"],
    ["not-spam", null],
    ["fraud", null],
    ["auth-failure", null],
    ["other", null],
  ] as const) {
    it(`of kind ${kind} is ${moment ?? "none"}`, async () => {
      const { mail, fate, suppression } = await message();
      assert.equal(await post(arf(mail, kind)), 200);
      assert.deepEqual([(await fate()).state, await suppression()], [moment ?? "sent", moment]);
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
      // No status, and none that is returned.
      whole.replace("message/delivery-status", "text/plain"),
      whole.replace("message/rfc822", "text/plain"),
    ];
    for (const raw of others) assert.equal(await post(raw), 401, raw.slice(0, 80));
    assert.deepEqual([await fate(), await suppression()], [before, null]);
  });

  it("is refused when it is larger than any report", async () => {
    const { mail, fate } = await message();
    assert.equal(await post(dsn(mail) + " ".repeat(1_048_576)), 413);
    assert.equal(await post(dsn(mail) + " ".repeat(1_000_000)), 200);
    assert.equal((await fate()).state, "bounced");
  });

  it("keeps the server busy only for a moment", async () => {
    const { mail } = await message();
    const part = "--4XYZ.1768478400/mx.example.net\r\nContent-Type: message/rfc822\r\n\r\n";
    const whole = dsn(mail);
    const heavy = {
      "many parts": whole.replace(
        "--4XYZ.1768478400/mx.example.net\r\nContent-Desc",
        `${part.repeat(14_000)}$&`,
      ),
      "many fields": whole.replace("Action:", `${"a: b\r\n".repeat(160_000)}Action:`),
      "folded lines": whole.replace("Action:", `X: ${"\r\n ".repeat(320_000)}\r\nAction:`),
      "empty lines": whole.replace("Action:", `${"\r\n \t".repeat(240_000)}\r\nAction:`),
      tokens: `<${"A".repeat(65)}@`.repeat(15_000),
      "nested parts": whole.replace(
        "multipart/report",
        `multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'.repeat(19_000)}`,
      ),
    };
    for (const [name, raw] of Object.entries(heavy)) {
      assert.ok(raw.length > 800_000 && raw.length < 1_048_576, `${name}: ${raw.length}`);
      const started = performance.now();
      const status = await post(raw);
      const took = performance.now() - started;
      assert.ok([200, 401].includes(status), `${name}: ${status}`);
      assert.ok(took < 3_000, `${name}: ${took} ms`);
    }
  });
});
