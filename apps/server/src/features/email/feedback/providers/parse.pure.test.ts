import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Provider } from "../../sending/provider-headers.pure.ts";
import type { ReportedEvent } from "../rules.ts";
import { readProviderReports } from "./parse.pure.ts";

const ISO = "2026-01-15T12:00:00.1234567Z";
const AT = Date.UTC(2026, 0, 15, 12, 0, 0, 123);
const ses = (event: object): object => ({ mail: { tags: { delivery: ["del_x"] } }, ...event });
const postmark = (event: object): object => ({ Metadata: { delivery: "del_x" }, BouncedAt: ISO, ...event });
const sendgrid = (event: object): object => ({ delivery: "del_x", timestamp: AT / 1_000, ...event });
const mailgun = (event: object): object => ({
  "event-data": { "user-variables": { delivery: "del_x" }, timestamp: AT / 1_000, ...event },
});

const reports: readonly [Provider, string, object, ReportedEvent | null][] = [
  [
    "ses",
    "bounce of no certain kind",
    ses({ eventType: "Bounce", bounce: { bounceType: "Undetermined", timestamp: ISO } }),
    null,
  ],
  ["ses", "complaint", ses({ eventType: "Complaint", complaint: { timestamp: ISO } }), "complained"],
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
  ["ses", "notification", ses({ notificationType: "Delivery", delivery: { timestamp: ISO } }), "delivered"],
  ["postmark", "bad address", postmark({ RecordType: "Bounce", Type: "BadEmailAddress" }), "bounced"],
  ["postmark", "block", postmark({ RecordType: "Bounce", Type: "Blocked", Inactive: false }), null],
  [
    "postmark",
    "block that it remembers",
    postmark({ RecordType: "Bounce", Type: "Blocked", Inactive: true }),
    "bounced",
  ],
  [
    "postmark",
    "reply that unsubscribes",
    postmark({ RecordType: "Bounce", Type: "Unsubscribe" }),
    "unsubscribed",
  ],
  ["postmark", "out of office", postmark({ RecordType: "Bounce", Type: "AutoResponder" }), null],
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
    "complained",
  ],
  [
    "postmark",
    "reactivation",
    postmark({ RecordType: "SubscriptionChange", SuppressSending: false, SuppressionReason: "HardBounce" }),
    null,
  ],
  ["sendgrid", "drop of an invalid address", sendgrid({ event: "dropped", reason: "Invalid" }), "bounced"],
  [
    "sendgrid",
    "drop of who unsubscribed",
    sendgrid({ event: "dropped", reason: "Unsubscribed Address" }),
    "bounced",
  ],
  [
    "sendgrid",
    "drop for want of quota",
    sendgrid({ event: "dropped", reason: "Recipient List over Package Quota" }),
    null,
  ],
  ["sendgrid", "drop for its content", sendgrid({ event: "dropped", reason: "Spam Content" }), null],
  ["sendgrid", "bounce without a type", sendgrid({ event: "bounce" }), "bounced"],
  ["sendgrid", "leaving a group", sendgrid({ event: "group_unsubscribe" }), "unsubscribed"],
  ["sendgrid", "coming back to a group", sendgrid({ event: "group_resubscribe" }), null],
  [
    "sendgrid",
    "arguments in a place of their own",
    { event: "delivered", timestamp: AT / 1_000, unique_args: { delivery: "del_x" } },
    "delivered",
  ],
  ["mailgun", "giving up", mailgun({ event: "failed", severity: "permanent", reason: "old" }), null],
  [
    "mailgun",
    "refusal of the sender",
    mailgun({ event: "failed", severity: "permanent", reason: "espblock" }),
    null,
  ],
  [
    "mailgun",
    "suppression",
    mailgun({ event: "failed", severity: "permanent", reason: "suppress-complaint" }),
    "bounced",
  ],
  ["mailgun", "failure of no certain kind", mailgun({ event: "failed" }), null],
  ["mailgun", "rejection", mailgun({ event: "rejected", reject: { reason: "sandbox" } }), null],
];

describe("readProviderReports", () => {
  for (const [provider, name, event, expected] of reports) {
    it(`${provider}: ${name} is ${expected ?? "nothing"}`, () => {
      const [first, ...others] = readProviderReports(provider, event);
      assert.deepEqual(first?.event ?? null, expected);
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
      assert.deepEqual(one, { delivery: "del_x", event: "delivered", at: null }, String(bad));
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
    assert.deepEqual(
      readProviderReports("mailgun", { "event-data": { event: "delivered", "user-variables": [] } }),
      [],
    );
    assert.deepEqual(
      readProviderReports("ses", { eventType: "Delivery", mail: { tags: { delivery: [] } } }),
      [],
    );
  });
});
