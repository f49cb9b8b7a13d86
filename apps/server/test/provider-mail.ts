import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";

/** What can be said of a message in a provider's words. */
export type Saying =
  | "delivered"
  | "deferred"
  | "permanent"
  | "returned"
  | "complaint"
  | "unsubscribe"
  | "suppressed"
  | "suppressedUnsubscribed"
  | "suppressedComplained"
  | "open"
  | "click";

/** How a report names its message; what is left out, the provider leaves out. */
export type About = { deliveryId?: string; messageId?: string; address?: string };

/** A request to the hook, without the address. */
export type Posted = { headers: Record<string, string>; body: string };

/** A provider as this server sees it: its words, its signature, its secret. */
export type FakeProvider = {
  name: "ses" | "postmark" | "sendgrid" | "mailgun";
  secret: string;
  /** An event of a message, `at` epoch milliseconds. */
  event(saying: Saying, about: About, at: number): unknown;
  /** Events as they are posted, signed at `now`. */
  post(events: readonly unknown[], now: number): Posted;
};

const json = { "content-type": "application/json" };
const iso = (at: number): string => new Date(at).toISOString();
const seconds = (at: number): number => Math.floor(at / 1_000);

export function fakePostmark(): FakeProvider {
  const secret = randomBytes(12).toString("base64url");
  const words: Record<Saying, object> = {
    delivered: { RecordType: "Delivery" },
    deferred: { RecordType: "Bounce", Type: "Transient", TypeCode: 2, Inactive: false },
    permanent: { RecordType: "Bounce", Type: "HardBounce", TypeCode: 1, Inactive: true },
    returned: { RecordType: "Bounce", Type: "SoftBounce", TypeCode: 4_096, Inactive: false },
    complaint: { RecordType: "SpamComplaint", Type: "SpamComplaint", TypeCode: 512 },
    unsubscribe: {
      RecordType: "SubscriptionChange",
      SuppressSending: true,
      SuppressionReason: "ManualSuppression",
      Origin: "Recipient",
    },
    suppressed: { RecordType: "SubscriptionChange", SuppressSending: true, SuppressionReason: "HardBounce" },
    // Postmark does not say why it did not send a message.
    suppressedUnsubscribed: { RecordType: "Bounce", Type: "ManuallyDeactivated" },
    suppressedComplained: { RecordType: "Bounce", Type: "ManuallyDeactivated" },
    open: { RecordType: "Open", FirstOpen: true },
    click: { RecordType: "Click", OriginalLink: "https://shop.example/" },
  };
  return {
    name: "postmark",
    secret,
    event: (saying, { deliveryId, messageId, address }, at) => ({
      ...words[saying],
      MessageID: "883953f4-6105-42a2-a16a-77a8eac79483",
      ...(deliveryId === undefined ? {} : { Metadata: { delivery: deliveryId } }),
      ...(messageId === undefined ? {} : { Headers: [{ Name: "Message-ID", Value: messageId }] }),
      ...(address === undefined ? {} : { Email: address }),
      [saying === "delivered" ? "DeliveredAt" : saying === "complaint" ? "BouncedAt" : "ChangedAt"]: iso(at),
      ...(["permanent", "returned", "deferred"].includes(saying) ? { BouncedAt: iso(at) } : {}),
    }),
    post: ([event]) => ({
      headers: { ...json, authorization: `Basic ${Buffer.from(`tidings:${secret}`).toString("base64")}` },
      body: JSON.stringify(event),
    }),
  };
}

export function fakeSendGrid(): FakeProvider {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const words: Record<Saying, object> = {
    delivered: { event: "delivered", response: "250 OK" },
    deferred: { event: "deferred", attempt: "5" },
    permanent: { event: "bounce", type: "bounce", status: "5.1.1" },
    returned: { event: "bounce", type: "blocked", status: "5.7.1", reason: "550 5.7.1 Denied by policy" },
    complaint: { event: "spamreport" },
    unsubscribe: { event: "unsubscribe" },
    suppressed: { event: "dropped", reason: "Bounced Address" },
    suppressedUnsubscribed: { event: "dropped", reason: "Unsubscribed Address" },
    suppressedComplained: { event: "dropped", reason: "Spam Reporting Address" },
    open: { event: "open" },
    click: { event: "click", url: "https://shop.example/" },
  };
  return {
    name: "sendgrid",
    secret: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    event: (saying, { deliveryId, messageId = "<14c5d75ce93.dfd.64b469@ismtpd-555>", address }, at) => ({
      ...words[saying],
      timestamp: seconds(at),
      delivery: deliveryId,
      email: address,
      "smtp-id": messageId,
    }),
    post(events, now) {
      const timestamp = String(seconds(now));
      const body = `${JSON.stringify(events, null, 1)}\r\n`;
      const signature = sign("sha256", Buffer.from(timestamp + body), {
        key: privateKey,
        dsaEncoding: "der",
      });
      return {
        headers: {
          ...json,
          "x-twilio-email-event-webhook-timestamp": timestamp,
          "x-twilio-email-event-webhook-signature": signature.toString("base64"),
        },
        body,
      };
    },
  };
}

export function fakeMailgun(): FakeProvider {
  const secret = `key-${randomBytes(16).toString("hex")}`;
  const words: Record<Saying, object> = {
    delivered: { event: "delivered" },
    deferred: { event: "failed", severity: "temporary", reason: "greylisted" },
    permanent: { event: "failed", severity: "permanent", reason: "bounce" },
    returned: { event: "failed", severity: "permanent", reason: "old" },
    complaint: { event: "complained" },
    unsubscribe: { event: "unsubscribed" },
    suppressed: { event: "failed", severity: "permanent", reason: "suppress-bounce" },
    suppressedUnsubscribed: { event: "failed", severity: "permanent", reason: "suppress-unsubscribe" },
    suppressedComplained: { event: "failed", severity: "permanent", reason: "suppress-complaint" },
    open: { event: "opened" },
    click: { event: "clicked", url: "https://shop.example/" },
  };
  return {
    name: "mailgun",
    secret,
    event: (saying, { deliveryId, messageId, address }, at) => ({
      ...words[saying],
      id: "MXcc2gEpS-eN8HfkOnmK2w",
      timestamp: at / 1_000,
      recipient: address,
      message: { headers: { "message-id": messageId } },
      "user-variables": { delivery: deliveryId },
    }),
    post([event], now) {
      const timestamp = String(seconds(now));
      const token = randomBytes(25).toString("hex");
      const signature = createHmac("sha256", secret)
        .update(timestamp + token)
        .digest("hex");
      return {
        headers: json,
        body: JSON.stringify({ signature: { timestamp, token, signature }, "event-data": event }),
      };
    },
  };
}

/** A host of certificates and confirmations, and an SNS that signs with one of them. */
export type FakeSns = {
  origin: string;
  topic: string;
  /** Requests that came, by path and query. */
  requested: string[];
  /** What it answers to everything, while it is set. */
  fails: number | null;
  certificateUrl: string;
  /** A message of SNS, signed. */
  sign(message: Record<string, string>, key?: KeyObject): Record<string, string>;
  stop(): void;
};

export const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

export async function fakeSns(): Promise<FakeSns> {
  const { cert, private: pem } = await generate([{ name: "commonName", value: "sns.amazonaws.com" }], {
    keySize: 2_048,
    algorithm: "sha256",
  });
  const privateKey = createPrivateKey(pem);
  const fake = { requested: [] as string[], fails: null as number | null };
  const server = createServer((request, response) => {
    fake.requested.push(request.url ?? "");
    if (fake.fails !== null) return response.writeHead(fake.fails).end();
    if (request.url?.startsWith("/SimpleNotificationService-")) return response.end(cert);
    if (request.url?.startsWith("/?Action=ConfirmSubscription")) return response.end("<ok/>");
    return response.writeHead(404).end("no");
  });
  const origin = await listening(server);
  const topic = "arn:aws:sns:eu-west-1:123456789012:mail";
  const certificateUrl = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1a2b3c.pem";
  return Object.assign(fake, {
    origin,
    topic,
    certificateUrl,
    sign(message: Record<string, string>, key: KeyObject = privateKey): Record<string, string> {
      const whole: Record<string, string> = {
        MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
        TopicArn: topic,
        SignatureVersion: "1",
        SigningCertURL: certificateUrl,
        ...message,
      };
      const names = [
        "Message",
        "MessageId",
        "Subject",
        "SubscribeURL",
        "Timestamp",
        "Token",
        "TopicArn",
        "Type",
      ];
      const text = names
        .filter((name) => name in whole)
        .map((name) => `${name}\n${whole[name]}\n`)
        .join("");
      const algorithm = whole.SignatureVersion === "1" ? "RSA-SHA1" : "RSA-SHA256";
      return { ...whole, Signature: sign(algorithm, Buffer.from(text), key).toString("base64") };
    },
    stop: () => server.close(),
  });
}

export function fakeSes(sns: FakeSns): FakeProvider {
  const permanent = { bounceType: "Permanent", bounceSubType: "General" };
  const words: Record<Saying, [type: string, key: string, details: object]> = {
    delivered: ["Delivery", "delivery", { recipients: ["anna@example.com"] }],
    deferred: ["DeliveryDelay", "deliveryDelay", { delayType: "MailboxFull" }],
    permanent: ["Bounce", "bounce", permanent],
    returned: ["Bounce", "bounce", { bounceType: "Transient", bounceSubType: "MailboxFull" }],
    complaint: ["Complaint", "complaint", { complaintFeedbackType: "abuse" }],
    unsubscribe: ["Subscription", "subscription", { newTopicPreferences: { unsubscribeAll: true } }],
    suppressed: ["Bounce", "bounce", { ...permanent, bounceSubType: "OnAccountSuppressionList" }],
    suppressedUnsubscribed: ["Bounce", "bounce", { ...permanent, bounceSubType: "UnsubscribedRecipient" }],
    suppressedComplained: ["Complaint", "complaint", { complaintSubType: "OnAccountSuppressionList" }],
    open: ["Open", "open", {}],
    click: ["Click", "click", { link: "https://shop.example/" }],
  };
  return {
    name: "ses",
    secret: sns.topic,
    event(saying, { deliveryId, messageId, address }, at) {
      const [eventType, key, details] = words[saying];
      const tags = {
        "ses:configuration-set": ["mail"],
        delivery: deliveryId === undefined ? [] : [deliveryId],
      };
      const recipients = address === undefined ? [] : [{ emailAddress: address }];
      const to = key === "bounce" ? { bouncedRecipients: recipients } : { complainedRecipients: recipients };
      const mail = { timestamp: iso(at), tags, commonHeaders: { messageId } };
      return { eventType, mail, [key]: { ...details, ...to, timestamp: iso(at) } };
    },
    post: ([event], now) => ({
      headers: { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" },
      body: JSON.stringify(
        sns.sign({ Type: "Notification", Message: JSON.stringify(event), Timestamp: iso(now) }),
      ),
    }),
  };
}
