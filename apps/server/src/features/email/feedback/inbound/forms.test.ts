import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { testHouse } from "../../../../../test/harness.ts";
import { postInbound, suppressionOf, type TestMail, watchedMail } from "../../../../../test/mail.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));
const post = (raw: string) => postInbound(house, raw.replaceAll("\n", "\r\n"));

/** The header of our message as a server returns it. */
const returned = (
  mail: TestMail,
  id = mail.messageToken,
  more = "",
): string => `${more}Return-Path: <news@acme.example>
Received: from tidings.example (tidings.example [192.0.2.1]) by relay.example with ESMTPS; Thu, 15 Jan 2026 11:59:58 +0000
From: News <news@acme.example>
To: anna@example.com
Subject: Hello
Message-ID: <${id}@acme.example>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Hello Anna
`;

/** A mail of its own, of a server or a person. */
const mailOf = (subject: string, body: string, more = "", from = "MAILER-DAEMON@relay.example"): string =>
  `Return-Path: <>
Date: Thu, 15 Jan 2026 12:00:00 +0000
From: ${from}
To: bounces@acme.example
Subject: ${subject}
Message-ID: <20260115120000.1@relay.example>
${more}
${body}`;

const UNKNOWN = "550 5.1.1 <anna@example.com>: Recipient address rejected: User unknown";
const FULL = "552 5.2.2 <anna@example.com>: Recipient address rejected: Mailbox full";
const BLOCKED = "550 5.7.1 Mail from 192.0.2.1 is blocked, see https://lists.example/";

/** What a form says of our message. `copy`: what it returns of it, instead of the message. */
type Writing = { answer?: string; stage?: string; more?: string; copy?: string };

const qmail = (mail: TestMail, { answer = UNKNOWN, stage, more = "", copy = returned(mail) }: Writing = {}) =>
  mailOf(
    "failure receipt",
    `Hi. This is the qmail-send program at relay.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<anna@example.com>:
${stage ?? "192.0.2.25 does not like recipient."}
Remote host said: ${answer}
Giving up on 192.0.2.25.
${more}
--- Below this line is a copy of the message.

${copy}`,
  );

const exim = (mail: TestMail, { answer = UNKNOWN, stage, more = "", copy = returned(mail) }: Writing = {}) =>
  mailOf(
    "Mail delivery failed: returning message to sender",
    `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  anna@example.com
    host mx.example.com [192.0.2.25]
    SMTP error from remote mail server ${stage ?? "after RCPT TO:<anna@example.com>"}:
    ${answer}
${more}
------ This is a copy of the message, including all the headers. ------
------ The body of the message is 204800 characters long; only the first
------ 106496 or so are included here.

${copy}`,
    "X-Failed-Recipients: anna@example.com\nAuto-Submitted: auto-replied\n",
    "Mail Delivery System <Mailer-Daemon@relay.example>",
  );

const postfix = (
  mail: TestMail,
  { answer = UNKNOWN, stage, more = "", copy = returned(mail) }: Writing = {},
) =>
  mailOf(
    "Undelivered Mail Returned to Sender",
    `This is a MIME-encapsulated message.

--4XYZ/relay.example
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host relay.example.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

For further assistance, please send mail to postmaster.

                   The mail system

<anna@example.com>: host mx.example.com[192.0.2.25] said: ${answer}
    (in reply to ${stage ?? "RCPT TO"} command)
${more}
--4XYZ/relay.example
Content-Description: Undelivered Message
Content-Type: message/rfc822

${copy}
--4XYZ/relay.example--
`,
    'Auto-Submitted: auto-replied\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="4XYZ/relay.example"\n',
  );

const exchangeText = (
  answer: string,
  original: string,
): string => `Delivery has failed to these recipients or groups:

anna@example.com<mailto:anna@example.com>
The email address you entered couldn't be found. Please check the recipient's email address and try to resend the message.

Diagnostic information for administrators:

Generating server: AM0PR01.prod.outlook.example

anna@example.com
Remote Server returned '${answer}'

${original}`;

const inQuotedPrintable = (text: string): string =>
  text
    .replaceAll("=", "=3D")
    .split("\n")
    .flatMap((line) => line.match(/.{1,70}/g)?.join("=\n") ?? "")
    .join("\n");

const exchange = (mail: TestMail, { answer = UNKNOWN, copy = returned(mail) }: Writing = {}) =>
  mailOf(
    "Undeliverable: Hello",
    inQuotedPrintable(exchangeText(answer, `Original message headers:\n\n${copy}`)),
    "Auto-Submitted: auto-replied\nX-MS-Exchange-Message-Is-Ndr:\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
    "postmaster@example.com",
  );

const FORMS = { qmail, Exim: exim, Postfix: postfix, Exchange: exchange };

/** A report for machines of Microsoft 365, which returns no message. */
const withoutCopy = (
  mail: TestMail,
  fields: string,
  type = "multipart/report; report-type=delivery-status",
) =>
  mailOf(
    "Undeliverable: Hello",
    `--b
Content-Type: text/plain; charset=us-ascii

Your message couldn't be delivered.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns;AM0PR01.prod.outlook.example

Final-Recipient: rfc822;anna@example.com
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup

--b--
`,
    `${fields.replaceAll("OURS", `<${mail.messageToken}@acme.example>`)}MIME-Version: 1.0\nContent-Type: ${type}; boundary="b"\n`,
    "postmaster@example.com",
  );

type Complaint = { from?: string; field?: string; disposition?: string; id?: string };

/** A complaint of an Outlook.com user, as Microsoft sends it. */
const complaint = (
  mail: TestMail,
  { from = "<staff@hotmail.com>", field, disposition = "inline", id }: Complaint = {},
) =>
  mailOf(
    " complaint about message from 192.0.2.1",
    `--F0000EEE2-0000-2111-AAB0
Content-Type: message/rfc822
Content-Disposition: ${disposition}

${returned(mail, id, `${field ?? "X-HmXmrOriginalRecipient: anna@example.com"}\nX-Reporter-IP: 192.0.2.9\n`)}
--F0000EEE2-0000-2111-AAB0--
`,
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="F0000EEE2-0000-2111-AAB0"\n',
    from,
  );

/** What became of a message after a mail was handed on. */
async function outcome(write: (mail: TestMail) => string, expected = 200) {
  const { mail, fate, suppression } = await watchedMail(house);
  for (let i = 0; i < 2; i++) assert.equal(await post(write(mail)), expected);
  const { state, counted } = await fate();
  return { state, counted: counted[String(state)], suppressed: await suppression() };
}

const SENT = { state: "sent", counted: 1, suppressed: null };
const GONE = { state: "bounced", counted: 1, suppressed: "bounced" };
const RETURNED = { state: "bounced", counted: 1, suppressed: null };
const COMPLAINED = { state: "complained", counted: 1, suppressed: "complained" };

for (const [name, write] of Object.entries(FORMS))
  describe(`mail that ${name} returns without a report for machines`, () => {
    it("stops mail to an address that is gone, and to no other", async () => {
      assert.deepEqual(await outcome(write), GONE);
      for (const answer of [FULL, BLOCKED, "450 4.2.0 User unknown at this time", "450 User unknown"])
        assert.deepEqual(await outcome((mail) => write(mail, { answer })), RETURNED, answer);
    });

    it("is refused where the message is not ours", async () => {
      for (const id of ["20260115.1", "A".repeat(65)])
        assert.deepEqual(await outcome((mail) => write(mail, { copy: returned(mail, id) }), 401), SENT);
      const answers = (mail: TestMail) => `In-Reply-To: <${mail.messageToken}@acme.example>\n`;
      // Of an answer to our message it is that answer that came back.
      assert.deepEqual(
        await outcome((mail) => write(mail, { copy: returned(mail, "answer.1", answers(mail)) }), 401),
        SENT,
      );
    });

    it("is no report once a person or a program has written above it", async () => {
      const begins = /^(Hi\. This|This message was|This is the mail|Delivery has)/m;
      for (const above of ["I am away until Monday.\n\n", "FYI\n\n-- Forwarded message --\n\n"])
        assert.deepEqual(await outcome((mail) => write(mail).replace(begins, `${above}$1`), 401), SENT);
      assert.deepEqual(await outcome((mail) => write(mail).replace(begins, "> $1"), 401), SENT);
    });
  });

describe("what a mail server says of an earlier stage", () => {
  const stages: readonly [keyof typeof FORMS, string][] = [
    ["qmail", "Connected to 192.0.2.25 but sender was rejected."],
    ["Exim", "after MAIL FROM:<news@acme.example> SIZE=2048"],
    ["Exim", "after initial connection"],
    ["Postfix", "MAIL FROM"],
    ["Postfix", "EHLO"],
  ];
  for (const [name, stage] of stages)
    it(`is not about the recipient: ${name}, ${stage}`, async () => {
      const answer = "550 5.1.1 User unknown";
      assert.deepEqual(await outcome((mail) => FORMS[name](mail, { stage, answer })), RETURNED);
    });
});

describe("several mailboxes behind one address", () => {
  it("are told apart: one that is gone counts, whatever comes before", async () => {
    const second = {
      qmail: `\n<ben@example.com>:\n192.0.2.25 does not like recipient.\nRemote host said: ${UNKNOWN}\n`,
      Exim: `  ben@example.com\n    host mx.example.com [192.0.2.25]: ${UNKNOWN}\n`,
      Postfix: `\n<ben@example.com> (expanded from <anna@example.com>): host mx.example.com[192.0.2.25] said:\n    ${UNKNOWN}\n`,
    };
    for (const [name, more] of Object.entries(second))
      assert.deepEqual(
        await outcome((mail) => FORMS[name as keyof typeof second](mail, { answer: FULL, more })),
        GONE,
        name,
      );
  });
});

describe("a server that still tries", () => {
  const delays: readonly [string, string, string][] = [
    [
      "Exim",
      `This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue on relay.example.

The address to which the message has not yet been delivered is:

  anna@example.com
    Delay reason: SMTP error from remote mail server: 550 5.1.1 User unknown
`,
      "References: OURS\n",
    ],
    [
      "Postfix",
      `This is the mail system at host relay.example.

####################################################################
# THIS IS A WARNING ONLY.  YOU DO NOT NEED TO RESEND YOUR MESSAGE. #
####################################################################

Your message could not be delivered for more than 4 hour(s).

<anna@example.com>: host mx.example.com[192.0.2.25] said: 550 5.1.1 User unknown
`,
      "In-Reply-To: OURS\n",
    ],
  ];
  for (const [name, text, fields] of delays)
    it(`is thanked for, and nothing: ${name}`, async () => {
      const named = (mail: TestMail) => fields.replace("OURS", `<${mail.messageToken}@acme.example>`);
      assert.deepEqual(await outcome((mail) => mailOf("Warning: message delayed", text, named(mail))), SENT);
    });
});

describe("a report for machines without the message", () => {
  it("is of the message that it answers", async () => {
    for (const fields of ["In-Reply-To: OURS\nReferences: OURS\n", "References: <x@example.com> OURS\n"])
      assert.deepEqual(await outcome((mail) => withoutCopy(mail, fields)), GONE);
  });

  it("is refused where it answers another message, also one that answered ours", async () => {
    for (const fields of [
      "",
      "In-Reply-To: <x@example.com>\nReferences: OURS\n",
      "References: OURS <x@example.com>\n",
    ])
      assert.deepEqual(await outcome((mail) => withoutCopy(mail, fields), 401), SENT, fields);
  });

  it("is refused as a part of what a person writes to us", async () => {
    assert.deepEqual(
      await outcome((mail) => withoutCopy(mail, "In-Reply-To: OURS\n", "multipart/mixed"), 401),
      SENT,
    );
  });
});

describe("a complaint in Microsoft's form", () => {
  it("is one", async () => {
    for (const options of [
      {},
      { from: "staff@hotmail.com" },
      { disposition: "attachment", from: '"Staff" <Staff@Hotmail.com>' },
    ])
      assert.deepEqual(await outcome((mail) => complaint(mail, options)), COMPLAINED);
  });

  it("is none without the sender, the field, or our message", async () => {
    const others: readonly Complaint[] = [
      // A person with a mailbox at Microsoft forwards the message.
      { from: "Anna <anna@hotmail.com>", disposition: "attachment" },
      { from: '"staff@hotmail.com" <anna@hotmail.com>' },
      { from: "staff@hotmail.com.example" },
      { field: "X-Other: anna@example.com" },
      { id: "20260115.1" },
    ];
    for (const other of others)
      assert.deepEqual(await outcome((mail) => complaint(mail, other), 401), SENT, JSON.stringify(other));
  });
});

describe("an answer by a program to our message", () => {
  const AWAY = "I am out of the office until Monday, with limited access to mail.\n";
  const answers: readonly [name: string, fields: string, body: string][] = [
    ["out of office", "Auto-Submitted: auto-replied\n", AWAY],
    [
      "out of office, of Exchange",
      "X-Auto-Response-Suppress: All\nX-MS-Exchange-Inbox-Rules-Loop: anna@example.com\n",
      AWAY,
    ],
    [
      "from somebody who left",
      "Auto-Submitted: auto-replied (vacation)\n",
      "550 5.1.1 User unknown. Anna does not work here any more; this mailbox does not exist.\n",
    ],
    [
      "from a mailbox that is closed",
      "Precedence: bulk\n",
      "This is a permanent error: the account anna@example.com does not exist.\n",
    ],
  ];
  for (const [name, fields, body] of answers)
    it(`is no report: ${name}`, async () => {
      const write = (more: (mail: TestMail) => string) => (mail: TestMail) => {
        const id = `<${mail.messageToken}@acme.example>`;
        return mailOf(
          "Automatic reply: Hello",
          body + more(mail),
          `${fields}In-Reply-To: ${id}\nReferences: ${id}\n`,
          "Anna <anna@example.com>",
        );
      };
      assert.deepEqual(
        await outcome(
          write(() => ""),
          401,
        ),
        SENT,
      );
      // Some return the message, in the words of their mail server.
      for (const line of [
        "------ This is a copy of the message, including all the headers. ------",
        "--- Below this line is a copy of the message.",
        "Original message headers:",
      ])
        assert.deepEqual(
          await outcome(
            write((mail) => `\n${line}\n\n${returned(mail)}`),
            401,
          ),
          SENT,
          line,
        );
    });

  it("is no report: it says that the message was read, or deleted unread", async () => {
    const receipt = (mail: TestMail) =>
      withoutCopy(
        mail,
        "In-Reply-To: OURS\n",
        "multipart/report; report-type=disposition-notification",
      ).replace("message/delivery-status", "message/disposition-notification");
    assert.deepEqual(await outcome(receipt, 401), SENT);
  });
});

describe("a text that is encoded", () => {
  const encoded = (encode: (text: string) => string, fields: string) => (mail: TestMail) =>
    mailOf(
      "Undeliverable: Hello",
      encode(exchangeText(UNKNOWN, `Original message headers:\n\n${returned(mail)}`)),
      `MIME-Version: 1.0\n${fields}`,
    );
  const base64 = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n";
  const inBase64 = (text: string) => Buffer.from(text).toString("base64");

  it("is read in base64, and for what is left of it where that is broken", async () => {
    assert.deepEqual(await outcome(encoded(inBase64, base64)), GONE);
    assert.deepEqual(await outcome(encoded((text) => `${inBase64(text)}\0!=%`, base64)), GONE);
    assert.deepEqual(
      await outcome(
        encoded((text) => inBase64(text).slice(3), base64),
        401,
      ),
      SENT,
    );
  });

  it("is not read in UTF-16, which no mail server writes", async () => {
    const utf16 = "Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n";
    assert.deepEqual(
      await outcome(
        encoded((text) => Buffer.from(text, "utf16le").toString("base64"), utf16),
        401,
      ),
      SENT,
    );
  });
});

it("another project's mail to the same address goes on", async () => {
  const { mail } = await watchedMail(house);
  const other = await house.project();
  assert.equal(await post(qmail(mail)), 200);
  assert.equal(await suppressionOf(house, other, mail.address), null);
});
