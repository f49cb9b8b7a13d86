import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { classifyRefusal, type MailRefusal, type RefusalKind } from "./mail-refusal.pure.ts";

type Case = readonly [text: string, verdict: RefusalKind, status?: string];

/** As the servers of mailbox providers and mail servers write it, in a reply or as a returned mail quotes it. */
const families: Readonly<Record<string, readonly Case[]>> = {
  Gmail: [
    [
      "550-5.1.1 The email account that you tried to reach does not\n550-5.1.1 exist. Please try double-checking the address.\n550 5.1.1 https://support.example/mail/?p=NoSuchUser x1-2.3 - gsmtp",
      "gone",
    ],
    ["550-5.2.1 The email account that you tried to reach is disabled. For more", "gone"],
    ["550 5.2.1 The email account that you tried to reach is inactive.", "gone"],
    ["550-5.2.1 The user you are trying to contact is receiving mail at a rate that", "later"],
    ["552-5.2.2 The email account that you tried to reach is over quota and inactive.", "later"],
    ["550-5.7.26 This mail has been blocked because the sender is unauthenticated.", "refused"],
    [
      "550-5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail.",
      "refused",
    ],
    ["421-4.7.28 Our system has detected an unusual rate of unsolicited mail", "later"],
    ["smtp; The email account that you tried to reach does not exist.", "gone", "5.0.0"],
    [
      "smtp; Your email to group team@acme.example was rejected due to spam classification.",
      "refused",
      "5.0.0",
    ],
    ["smtp; DNS Error: DNS type 'mx' lookup of acme.example responded with NXDOMAIN", "later", "4.0.0"],
  ],
  "Microsoft 365": [
    [
      "smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup",
      "gone",
      "5.1.10",
    ],
    ["550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 5.1.1 no", "gone"],
    [
      "550 5.4.1 [ada@acme.example]: Recipient address rejected: Access denied. [X.outlook.example]",
      "refused",
    ],
    ["550 5.7.606 Access denied, banned sending IP [192.0.2.1].", "refused"],
    ["550 5.7.509 Access denied, sending domain ACME.EXAMPLE does not pass DMARC verification", "refused"],
    ["550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain", "refused", "5.0.0"],
    ["550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required", "refused"],
    ["smtp;550 4.4.7 QUEUE.Expired; message expired", "later", "4.4.7"],
    ["smtp;550 5.4.316 Message expired, connection refused", "later", "5.4.316"],
    ["smtp;550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient", "refused", "5.2.3"],
    ["smtp;554 5.2.2 STOREDRV.Deliver; mailbox full", "later", "5.2.2"],
    ["451 4.7.650 The mail server has been temporarily rate limited due to IP reputation.", "later"],
  ],
  Exchange: [
    ["smtp;550 5.1.1 RESOLVER.ADR.RecipNotFound; not found", "gone", "5.1.1"],
    ["smtp;550 5.7.1 RESOLVER.RST.AuthRequired; authentication required", "refused", "5.7.1"],
    ["550 Requested action not taken: mailbox unavailable", "refused", "5.5.0"],
  ],
  Yahoo: [
    [
      "554 delivery error: dd This user doesn't have a yahoo.example account (ada@yahoo.example) [0]",
      "gone",
      "5.0.0",
    ],
    ["554 delivery error: dd This user doesn’t have a yahoo.example account", "gone"],
    ["554 delivery error: dd This account has been disabled or discontinued [#102].", "gone"],
    [
      "554 30 Sorry, your message to ada@acme.example cannot be delivered. This mailbox is disabled (554.30).",
      "gone",
    ],
    ["554 5.7.9 Message not accepted for policy reasons.", "refused"],
    ["421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to user complaints", "later"],
  ],
  Postfix: [
    [
      "550 5.1.1 <ada@acme.example>: Recipient address rejected: User unknown in virtual mailbox table",
      "gone",
    ],
    [
      "550 5.1.1 <ada@acme.example>: Recipient address rejected: User unknown in relay recipient table",
      "gone",
    ],
    [
      "X-Postfix; Host or domain name not found. Name service error for name=acme.exampel type=A",
      "gone",
      "5.4.4",
    ],
    [
      "X-Postfix; Name service error for name=acme.example type=MX: Malformed server reply",
      "refused",
      "5.4.4",
    ],
    [
      "X-Postfix; host mx.acme.example[192.0.2.1] said: 550 5.1.1 no such user (in reply to end of DATA command)",
      "gone",
      "5.0.0",
    ],
    ["554 5.7.1 <ada@acme.example>: Relay access denied", "refused"],
    [
      "550 5.1.0 <news@acme.example>: Sender address rejected: User unknown in virtual mailbox table",
      "refused",
    ],
    [
      "550 5.1.1 <news@acme.example>: Sender address rejected: undeliverable address: user unknown",
      "refused",
    ],
    ["smtp; 450 4.1.1 <ada@acme.example>: Recipient address rejected: User unknown", "later", "4.1.1"],
    ["554 5.4.6 Too many hops", "refused"],
    ["554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.example", "refused"],
    ["X-Postfix; connect to mx.acme.example[192.0.2.1]:25: Connection timed out", "later", "4.4.1"],
    ["smtp; 550 5.1.1 <ada+spam@blocked.example>: Recipient address rejected: User unknown", "gone"],
  ],
  Exim: [
    ["550 Unrouteable address", "gone"],
    ['550 unknown local part "ada" in "<ada@acme.example>"', "gone"],
    ["550 Administrative prohibition", "refused"],
    ["550 Sender verify failed", "refused"],
    ["550 relay not permitted", "refused"],
    ["550 Rejected", "refused"],
    ["451 Temporary local problem - please try later", "later"],
  ],
  Sendmail: [
    ["550 5.1.1 <ada@acme.example>... User unknown", "gone"],
    ["550 5.1.2 <ada@acme.exampel>... Host unknown (Name server: acme.exampel.: host not found)", "gone"],
    ["550 5.2.1 <ada@acme.example>... Mailbox disabled for this recipient", "gone"],
    ["550 5.2.1 <ada@acme.example>... not now", "refused"],
    ["553 5.1.3 <ada@@acme.example>... Invalid address", "gone"],
    ["553 5.1.8 <news@acme.example>... Domain of sender address news@acme.example does not exist", "refused"],
    ["552 5.3.4 Message is too large; 2000 bytes max", "refused"],
  ],
  "qmail and others": [
    ["550 sorry, no mailbox here by that name. (#5.1.1)", "gone"],
    ["550 ada@acme.example... No such user", "gone"],
    ["550 Unknown user ada@acme.example", "gone"],
    ["550 : User unknown", "gone", "5.2.0"],
    ["550 5.5.0 Adresse invalide. Invalid recipient.", "gone"],
    ["550 5.1.6 recipient no longer on server: ada@acme.example", "gone"],
    [
      "smtp; 5.1.0 - Unknown address error 550-'5.7.1 <ada@acme.example>... Access denied'",
      "refused",
      "5.0.0",
    ],
    ["smtp; 5.1.0 - Unknown address error 550-'5.2.2 <ada@acme.example>... Mailbox Full'", "later", "5.0.0"],
    ["smtp; 5.3.0 - Other mail system problem 550-'Unknown user ada@acme.example'", "gone", "5.0.0"],
    ["x-notes; User Ada (ada@acme.example) not listed in Domino Directory", "gone", "5.0.0"],
    ["unknown; No such domain.", "gone", "5.0.0"],
    ["550 #5.1.0 Address rejected.", "refused", "5.0.0"],
    ["550-5.1.0 MailFrom domain is listed in a list of bad names", "refused"],
    ["550 5.1.1 - 192.0.2.1 has sent to too many recipients this hour.", "later"],
    ["550 5.1.1 Refused due to recipient preferences", "refused"],
    ["553 http://www.spamhaus.example/query/bl?ip=192.0.2.1", "refused", "5.1.3"],
    ["smtp; 550 5.7.1 IP address blacklisted by recipient", "refused", "5.1.1"],
    ["552 5.2.2 Over quota", "later", "5.1.1"],
    ["550 Virus Detected", "refused", "5.0.0"],
    [
      "550 5.7.1 <ada@acme.example>: Recipient address rejected: User is temporarily locked. Try again later",
      "later",
    ],
    ["554 Transaction failed", "refused", "5.0.0"],
    ["blocked; user unknown", "refused", "5.0.0"],
    ["X-mPOP-Fallback_MX; user unknown", "gone", "5.0.0"],
    ["550 The sender's address does not exist here", "refused"],
    ["550 HELO command rejected: Host not found", "refused"],
    ["550 That address is no longer valid", "gone"],
  ],
  "Amazon SES": [
    ["smtp; 550 5.4.4 Invalid domain", "gone", "5.4.4"],
    [
      "smtp; 554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.2 timed out>",
      "later",
      "4.4.7",
    ],
    ["554 Message rejected: Email address is not verified.", "refused"],
  ],
  "a list of whoever sends for us": [
    [
      "You tried to send to recipients that have been marked as inactive. Found inactive addresses: ada@acme.example. Inactive recipients have generated a hard bounce, a spam complaint, or a manual suppression.",
      "gone",
    ],
    [
      "did not send the message to this address because it is on the suppression list for your account",
      "gone",
    ],
  ],
};

describe("classifyRefusal", () => {
  for (const [family, cases] of Object.entries(families))
    describe(family, () => {
      for (const [text, verdict, status] of cases)
        it(`${verdict}: ${text.slice(0, 90)}`, () =>
          assert.equal(classifyRefusal({ text, status }), verdict));
    });

  const bare: readonly [MailRefusal, RefusalKind][] = [
    [{ status: "5.1.1" }, "gone"],
    [{ status: "5.1.2 (bad host)" }, "gone"],
    [{ status: "5.4.4" }, "gone"],
    [{ status: "5.2.1" }, "refused"],
    [{ status: "5.2.2" }, "later"],
    [{ status: "5.7.1" }, "refused"],
    [{ status: "5.1.4" }, "refused"],
    [{ status: "5.1.0" }, "refused"],
    [{ status: "5.1.11" }, "refused"],
    [{ status: "5.0.0" }, "refused"],
    [{ status: "4.4.7" }, "later"],
    [{ status: "4.1.1" }, "later"],
    [{ code: 550 }, "refused"],
    [{ code: 450, text: "User unknown" }, "later"],
    [{ code: 550, text: "5.1.1" }, "gone"],
    [{ code: 550, text: "Host 5.1.1.7 is not welcome, Exim 4.95.1" }, "refused"],
    [{}, "refused"],
    [{ status: "", text: "", code: null }, "refused"],
  ];
  for (const [refusal, verdict] of bare)
    it(`${verdict}: ${JSON.stringify(refusal)}`, () => assert.equal(classifyRefusal(refusal), verdict));

  it("leans to what a provider calls it only where codes and words say nothing", () => {
    assert.equal(classifyRefusal({}, "gone"), "gone");
    assert.equal(classifyRefusal({ status: "5.0.0", text: "550 Transaction failed" }, "gone"), "gone");
    assert.equal(classifyRefusal({ status: "5.7.1" }, "gone"), "refused");
    assert.equal(classifyRefusal({ status: "5.0.0", text: "550 Denied by policy" }, "gone"), "refused");
    assert.equal(classifyRefusal({ status: "5.1.1" }, "later"), "gone");
  });

  it("does not look for a reason behind the first 2,000 characters", () => {
    assert.equal(classifyRefusal({ text: `550 ${"x ".repeat(900)} user unknown` }), "gone");
    assert.equal(classifyRefusal({ text: `550 ${"x ".repeat(1_000)} user unknown` }), "refused");
  });

  it("answers whatever a text is, and reads no more of a long one than of a short one", () => {
    const word = fc.constantFrom(
      "user",
      "unknown",
      "does",
      "not",
      "exist",
      "550",
      "5.1.1",
      "doesn't have a",
      "\0",
      "@",
      "::",
      "://",
    );
    const texts = fc.oneof(
      fc.string({ maxLength: 3_000 }),
      fc.array(word, { maxLength: 400 }).map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(texts, texts, (text, tail) => {
        const padded = text.padEnd(2_000).slice(0, 2_000);
        assert.equal(classifyRefusal({ text: padded + tail.repeat(20) }), classifyRefusal({ text: padded }));
      }),
    );
  });
});
