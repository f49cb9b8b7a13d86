/** What webhooks are about, each with what has happened when it is sent. `delivery.` types come by the message; all others are rare. */
export const WEBHOOK_TYPES = {
  "delivery.sent": "The mail server, or the provider of push, took a message.",
  "delivery.delivered": "A message arrived.",
  "delivery.shown": "A user saw a message in a page.",
  "delivery.opened": "A user opened a mail or a push.",
  "delivery.clicked": "A user followed a link or a button.",
  "delivery.dismissed": "A user closed a message in a page.",
  "delivery.bounced": "A mail came back.",
  "delivery.complained": "A user called a mail spam.",
  "delivery.unsubscribed": "A user left by a mail.",
  "delivery.converted": "A user did what the goal counts, after the message.",
  "delivery.failed": "A message cannot be sent, for good.",
  "delivery.capped": "A mail was left out, because its user had as many as the cap allows.",
  "delivery.withdrawn":
    "A message was withdrawn, because it was postponed for longer than its campaign has patience, or its campaign or journey ended for it.",
  "address.suppressed": "An address gets no mail any more.",
  "address.allowed": "An address gets mail again.",
  "user.identified": "A user is new, or a trait of theirs changed.",
  "user.merged": "A visitor signed in: what they did and got is the user's.",
  "user.erased": "A user was erased: forget them, too.",
  "campaign.launched": "A campaign was launched, or goes on after a pause.",
  "campaign.paused": "A campaign was paused.",
  "campaign.ended": "A campaign has ended.",
  "campaign.changed": "A campaign was changed.",
  "guardrail.breached": "A campaign was paused because it broke a limit of its goal.",
  "proposal.created": "An agent proposes something that a person decides.",
  "proposal.decided": "A person decided about a proposal.",
  "run.created": "An agent, or Tidings itself, wrote down what it did.",
  "import.ended": "A file was brought in, or could not be.",
  "sync.failed": "A sync could not write its files, three times in a row.",
} as const satisfies Readonly<Record<string, string>>;

/** A type that webhooks subscribe to. */
export type WebhookType = keyof typeof WEBHOOK_TYPES;

/** The types that webhooks subscribe to, in the order in which people read them. */
export const SUBSCRIBABLE = Object.keys(WEBHOOK_TYPES) as [WebhookType, ...WebhookType[]];

/** All types but those about deliveries, which are as many as the messages. */
export const ALL_OTHERS = "*";

/** The type of a message that a person requests, to see it arrive: it goes to its webhook, whatever that subscribes to. */
export const TEST_TYPE = "test";
