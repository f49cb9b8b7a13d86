import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Provider } from "../../sending/provider-headers.pure.ts";
import {
  COMPLAINED,
  DELIVERED,
  GONE_EFFECT,
  RETURNED,
  type ReportEffect,
  suppressedBefore,
  UNSUBSCRIBED,
} from "../effects.pure.ts";
import { readProviderReports } from "./parse.pure.ts";

const ISO = "2026-01-15T12:00:00.1234567Z";
const AT = Date.UTC(2026, 0, 15, 12, 0, 0, 123);
const ses = (event: object): object => ({ mail: { tags: { delivery: ["del_x"] } }, ...event });
const postmark = (event: object): object => ({ Metadata: { delivery: "del_x" }, BouncedAt: ISO, ...event });
const sendgrid = (event: object): object => ({ delivery: "del_x", timestamp: AT / 1_000, ...event });
const mailgun = (event: object): object => ({
  "event-data": { "user-variables": { delivery: "del_x" }, timestamp: AT / 1_000, ...event },
});

const bounceOf = (bounce: object, ...recipients: object[]): object =>
  ses({ eventType: "Bounce", bounce: { ...bounce, timestamp: ISO, bouncedRecipients: recipients } });
const PERMANENT = { bounceType: "Permanent", bounceSubType: "General" };
const TRANSIENT = { bounceType: "Transient", bounceSubType: "General" };
const failed = (status: string, diagnosticCode?: string): object => ({
  action: "failed",
  status,
  diagnosticCode,
});
const bounced = (Type: string, Details?: string, more: object = {}): object =>
  postmark({ RecordType: "Bounce", Type, Details, ...more });
const refused = (reason: string | undefined, status: string, type = "bounce", more: object = {}): object =>
  sendgrid({ event: "bounce", type, reason, status, ...more });
const gaveUp = (reason: string, status: object | null, severity = "permanent"): object =>
  mailgun({ event: "failed", severity, reason, "delivery-status": status });

const reports: readonly [Provider, string, object, ReportEffect | null][] = [
  ["ses", "bounce of no certain kind", bounceOf({ bounceType: "Undetermined" }), null],
  [
    "ses",
    "bounce of no certain kind that failed",
    bounceOf({ bounceType: "Undetermined" }, failed("5.0.0")),
    RETURNED,
  ],
  ["ses", "hard bounce of which nothing is told", bounceOf(PERMANENT), GONE_EFFECT],
  [
    "ses",
    "hard bounce of an unknown user",
    bounceOf(PERMANENT, failed("5.1.1", "smtp; 550 5.1.1 user unknown")),
    GONE_EFFECT,
  ],
  [
    "ses",
    "hard bounce of a bad reputation",
    bounceOf(PERMANENT, failed("5.7.1", "smtp; 550 5.7.1 blocked")),
    RETURNED,
  ],
  [
    "ses",
    "hard bounce that says little",
    bounceOf(PERMANENT, failed("5.0.0", "smtp; 550 Rejected")),
    RETURNED,
  ],
  [
    "ses",
    "no such mailbox",
    bounceOf({ ...PERMANENT, bounceSubType: "NoEmail" }, failed("5.0.0", "550 no")),
    GONE_EFFECT,
  ],
  [
    "ses",
    "list of SES",
    bounceOf({ ...PERMANENT, bounceSubType: "Suppressed" }, failed("5.1.1")),
    GONE_EFFECT,
  ],
  [
    "ses",
    "list of the account",
    bounceOf({ ...PERMANENT, bounceSubType: "OnAccountSuppressionList" }),
    GONE_EFFECT,
  ],
  [
    "ses",
    "list of contacts",
    bounceOf({ ...PERMANENT, bounceSubType: "UnsubscribedRecipient" }),
    suppressedBefore("unsubscribed"),
  ],
  ["ses", "answer by a machine", bounceOf(TRANSIENT, { emailAddress: "anna@example.com" }), null],
  ["ses", "full mailbox", bounceOf({ ...TRANSIENT, bounceSubType: "MailboxFull" }), RETURNED],
  [
    "ses",
    "temporary one without a domain",
    bounceOf(TRANSIENT, failed("5.4.4", "smtp; 550 5.4.4 Invalid domain")),
    GONE_EFFECT,
  ],
  ["ses", "temporary one without a user", bounceOf(TRANSIENT, failed("5.1.1")), GONE_EFFECT],
  [
    "ses",
    "temporary one that expired",
    bounceOf(TRANSIENT, failed("4.4.7", "smtp; 554 4.4.7 Message expired")),
    RETURNED,
  ],
  ["ses", "complaint", ses({ eventType: "Complaint", complaint: { timestamp: ISO } }), COMPLAINED],
  [
    "ses",
    "complaint of earlier",
    ses({
      eventType: "Complaint",
      complaint: { complaintSubType: "OnAccountSuppressionList", timestamp: ISO },
    }),
    suppressedBefore("complained"),
  ],
  [
    "ses",
    "that it is no spam",
    ses({ eventType: "Complaint", complaint: { complaintFeedbackType: "not-spam", timestamp: ISO } }),
    null,
  ],
  ["ses", "virus", ses({ eventType: "Reject", reject: { reason: "Bad content" } }), null],
  [
    "ses",
    "change of topics",
    ses({
      eventType: "Subscription",
      subscription: { newTopicPreferences: { unsubscribeAll: false }, timestamp: ISO },
    }),
    null,
  ],
  ["ses", "notification", ses({ notificationType: "Delivery", delivery: { timestamp: ISO } }), DELIVERED],
  ["postmark", "bad address", bounced("BadEmailAddress"), GONE_EFFECT],
  ["postmark", "hard bounce", bounced("HardBounce"), GONE_EFFECT],
  [
    "postmark",
    "hard bounce of an unknown user",
    bounced("HardBounce", "smtp;550 5.1.1 No such user"),
    GONE_EFFECT,
  ],
  ["postmark", "hard bounce of a policy", bounced("HardBounce", "smtp;550 5.7.26 DMARC"), RETURNED],
  ["postmark", "hard bounce that says little", bounced("HardBounce", "smtp;550 Rejected"), RETURNED],
  ["postmark", "soft bounce", bounced("SoftBounce", "smtp;552 5.2.2 over quota"), RETURNED],
  [
    "postmark",
    "soft bounce of an unknown user",
    bounced("SoftBounce", "smtp;550 5.1.1 user unknown"),
    GONE_EFFECT,
  ],
  [
    "postmark",
    "words of its own",
    bounced("Blocked", undefined, { Description: "ex: unknown user" }),
    RETURNED,
  ],
  ["postmark", "block", bounced("Blocked", undefined, { Inactive: false }), RETURNED],
  ["postmark", "block that it remembers", bounced("Blocked", undefined, { Inactive: true }), RETURNED],
  ["postmark", "mail taken for spam", bounced("SpamNotification"), RETURNED],
  ["postmark", "delay", bounced("Transient", "smtp;450 4.1.1 user unknown"), null],
  [
    "postmark",
    "inactive recipient",
    bounced("SMTPApiError", "A recipient that has been marked as inactive."),
    GONE_EFFECT,
  ],
  ["postmark", "team that stopped it there", bounced("ManuallyDeactivated"), null],
  ["postmark", "type of an object", bounced("constructor"), null],
  ["postmark", "reply that unsubscribes", bounced("Unsubscribe"), UNSUBSCRIBED],
  ["postmark", "out of office", bounced("AutoResponder"), null],
  [
    "postmark",
    "suppression by the project itself",
    postmark({
      RecordType: "SubscriptionChange",
      SuppressSending: true,
      SuppressionReason: "ManualSuppression",
      Origin: "Customer",
    }),
    null,
  ],
  [
    "postmark",
    "suppression after a complaint",
    postmark({
      RecordType: "SubscriptionChange",
      SuppressSending: true,
      SuppressionReason: "SpamComplaint",
      ChangedAt: ISO,
    }),
    COMPLAINED,
  ],
  [
    "postmark",
    "reactivation",
    postmark({ RecordType: "SubscriptionChange", SuppressSending: false, SuppressionReason: "HardBounce" }),
    null,
  ],
  ["sendgrid", "drop of an invalid address", sendgrid({ event: "dropped", reason: "Invalid" }), GONE_EFFECT],
  [
    "sendgrid",
    "drop of a bounced address",
    sendgrid({ event: "dropped", reason: "Bounced Address" }),
    GONE_EFFECT,
  ],
  [
    "sendgrid",
    "drop of who unsubscribed",
    sendgrid({ event: "dropped", reason: "Unsubscribed Address" }),
    suppressedBefore("unsubscribed"),
  ],
  [
    "sendgrid",
    "drop of who complained",
    sendgrid({ event: "dropped", reason: "Spam Reporting Address" }),
    suppressedBefore("complained"),
  ],
  [
    "sendgrid",
    "drop for want of quota",
    sendgrid({ event: "dropped", reason: "Recipient List over Package Quota" }),
    null,
  ],
  ["sendgrid", "drop for its content", sendgrid({ event: "dropped", reason: "Spam Content" }), null],
  ["sendgrid", "drop for a reason of an object", sendgrid({ event: "dropped", reason: "toString" }), null],
  ["sendgrid", "bounce without a type", sendgrid({ event: "bounce" }), GONE_EFFECT],
  ["sendgrid", "bounce of an unknown user", refused("550 5.1.1 user unknown", "5.1.1"), GONE_EFFECT],
  ["sendgrid", "bounce of a policy", refused("550 5.7.26 DMARC", "5.7.26"), RETURNED],
  ["sendgrid", "bounce that says little", refused("550 Rejected", "5.0.0"), RETURNED],
  [
    "sendgrid",
    "bounce that it takes for an invalid address",
    refused("550 Rejected", "5.0.0", "bounce", { bounce_classification: "Invalid Address" }),
    GONE_EFFECT,
  ],
  ["sendgrid", "block", refused(undefined, "", "blocked"), RETURNED],
  [
    "sendgrid",
    "block of an unknown user",
    refused("550 5.1.1 user unknown", "5.1.1", "blocked"),
    GONE_EFFECT,
  ],
  ["sendgrid", "leaving a group", sendgrid({ event: "group_unsubscribe" }), UNSUBSCRIBED],
  ["sendgrid", "coming back to a group", sendgrid({ event: "group_resubscribe" }), null],
  [
    "sendgrid",
    "arguments in a place of their own",
    { event: "delivered", timestamp: AT / 1_000, unique_args: { delivery: "del_x" } },
    DELIVERED,
  ],
  ["mailgun", "giving up", gaveUp("old", null), RETURNED],
  ["mailgun", "refusal of the sender", gaveUp("espblock", { code: 550 }), RETURNED],
  ["mailgun", "bounce of which nothing is told", gaveUp("bounce", { code: 550 }), GONE_EFFECT],
  [
    "mailgun",
    "bounce of an unknown user",
    gaveUp("bounce", { code: 550, "enhanced-code": "5.1.1" }),
    GONE_EFFECT,
  ],
  ["mailgun", "bounce of a policy", gaveUp("bounce", { code: 550, message: "5.7.26 DMARC" }), RETURNED],
  ["mailgun", "bounce that says little", gaveUp("bounce", { code: 550, message: "Rejected" }), RETURNED],
  [
    "mailgun",
    "failure for another reason",
    gaveUp("generic", { code: 550, description: "No such user" }),
    GONE_EFFECT,
  ],
  ["mailgun", "failure that is tried again", gaveUp("generic", { code: 451 }, "temporary"), null],
  ["mailgun", "list of bounces", gaveUp("suppress-bounce", { code: 605 }), GONE_EFFECT],
  [
    "mailgun",
    "list of who unsubscribed",
    gaveUp("suppress-unsubscribe", { code: 606 }),
    suppressedBefore("unsubscribed"),
  ],
  [
    "mailgun",
    "list of who complained",
    gaveUp("suppress-complaint", { code: 607 }),
    suppressedBefore("complained"),
  ],
  ["mailgun", "code of who complained", gaveUp("", { code: 607 }), suppressedBefore("complained")],
  ["mailgun", "failure of no certain kind", mailgun({ event: "failed" }), null],
  ["mailgun", "rejection", mailgun({ event: "rejected", reject: { reason: "sandbox" } }), null],
];

describe("readProviderReports", () => {
  for (const [provider, name, event, expected] of reports) {
    it(`${provider}: ${name} is ${JSON.stringify(expected)}`, () => {
      const [first, ...others] = readProviderReports(provider, event);
      assert.deepEqual(first === undefined ? null : { event: first.event, stops: first.stops }, expected);
      assert.deepEqual([first?.delivery, others], [expected === null ? undefined : "del_x", []]);
      if (first !== undefined && provider !== "ses") assert.ok(first.at === AT || first.at === null);
    });
  }

  it("reads fractions of a second as they are given", () => {
    const delivered = (provider: Provider, event: object) => readProviderReports(provider, event)[0]?.at;
    assert.equal(delivered("ses", ses({ eventType: "Delivery", delivery: { timestamp: ISO } })), AT);
    assert.equal(delivered("postmark", postmark({ RecordType: "Delivery", DeliveredAt: ISO })), AT);
    assert.equal(delivered("mailgun", mailgun({ event: "delivered" })), AT);
  });

  it("does without a time that is none", () => {
    for (const bad of ["soon", "", null, 5, {}, "99999-99-99"]) {
      const [one] = readProviderReports("postmark", postmark({ RecordType: "Delivery", DeliveredAt: bad }));
      assert.deepEqual([one?.event, one?.at], ["delivered", null], String(bad));
    }
    for (const bad of ["1", null, {}, Number.NaN])
      assert.equal(
        readProviderReports("sendgrid", sendgrid({ event: "delivered", timestamp: bad }))[0]?.at,
        null,
      );
  });

  it("finds nothing in what it does not know", () => {
    const nothing = [
      null,
      undefined,
      1,
      "x",
      [],
      {},
      { event: 5 },
      { mail: 1 },
      { mail: {} },
      { "event-data": [] },
      [[[]]],
    ];
    for (const provider of ["ses", "postmark", "sendgrid", "mailgun"] as const)
      for (const body of nothing) assert.deepEqual(readProviderReports(provider, body), []);
  });

  it("names a message by all that the provider says of it", () => {
    const namesOf = (provider: Provider, event: object) => {
      const [{ delivery, messageId, address } = {}] = readProviderReports(provider, event);
      return [delivery, messageId, address];
    };
    assert.deepEqual(namesOf("mailgun", { "event-data": { event: "delivered", "user-variables": [] } }), [
      null,
      null,
      null,
    ]);
    const sent = { headers: { "message-id": "x@acme.example" } };
    const complained = { event: "complained", recipient: "anna@example.com", message: sent };
    assert.deepEqual(namesOf("mailgun", { "event-data": complained }), [
      null,
      "x@acme.example",
      "anna@example.com",
    ]);
    assert.deepEqual(
      namesOf("sendgrid", { event: "spamreport", email: "anna@example.com", "smtp-id": "<x@acme.example>" }),
      [null, "<x@acme.example>", "anna@example.com"],
    );
    const headers = [{ Name: "Message-ID", Value: "<x@acme.example>" }];
    assert.deepEqual(
      namesOf("postmark", { RecordType: "SpamComplaint", Email: "anna@example.com", Headers: headers }),
      [null, "<x@acme.example>", "anna@example.com"],
    );
    const complaintOf = (...addresses: string[]) => ({
      eventType: "Complaint",
      mail: { tags: { delivery: [] }, commonHeaders: { messageId: "<x@acme.example>" } },
      complaint: { complainedRecipients: addresses.map((emailAddress) => ({ emailAddress })) },
    });
    assert.deepEqual(namesOf("ses", complaintOf("anna@example.com")), [
      null,
      "<x@acme.example>",
      "anna@example.com",
    ]);
    assert.deepEqual(namesOf("ses", complaintOf("a@example.com", "b@example.com")), [
      null,
      "<x@acme.example>",
      null,
    ]);
  });
});
