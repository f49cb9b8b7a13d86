import { z } from "zod";
import { answerIds, commitSha, example } from "../../../domain/fields.ts";
import {
  anyOf,
  count,
  epochMs,
  instant,
  patch,
  storedAs,
  text,
} from "../../../platform/http/contract/fields.ts";
import { zoneNamed } from "../../../platform/time/zone.ts";
import { Audience, AudienceInput, Targeting } from "../../audience/language/schema.ts";
import { EmailMessage } from "../../content/email/message.pure.ts";
import { PushContent, PushSettings } from "../../content/push/message.pure.ts";
import { WebMessage } from "./message/message.pure.ts";
import { MAX_VARIANTS, PURPOSES, VISITORS_MET } from "./rules.ts";
import { DEFAULT_TIMING, READERS_ZONE, WEEKDAYS } from "./timing.pure.ts";

const id = z.string().max(128);

/** How many deliveries of a campaign, or of one variant, reached each point. Exact when read. */
export const CampaignStats = z
  .object({
    sent: count.meta({ description: "Left: taken by the mail server or push provider.", example: 100 }),
    frequencyCapped: count.meta({
      description: "Left out for good, because the recipient had as many mails as the cap allows.",
      example: 1,
    }),
    delivered: count.meta({ description: "Arrived.", example: 98 }),
    shown: count.meta({ description: "Appeared on a page.", example: 90 }),
    opened: count.meta({ description: "Opened.", example: 40 }),
    clicked: count.meta({ description: "Clicked.", example: 12 }),
    dismissed: count.meta({ description: "Closed by the user.", example: 7 }),
    bounced: count.meta({
      description: "Came back, or was refused because there is no such address.",
      example: 0,
    }),
    complained: count.meta({ description: "Reported as spam.", example: 0 }),
    unsubscribed: count.meta({ description: "Ended with the wish for no more email.", example: 0 }),
    converted: count.meta({ description: "Converted.", example: 9 }),
  })
  .meta({ id: "CampaignStats" });
export type CampaignStats = z.infer<typeof CampaignStats>;

/** The pages of a campaign, as answers have them. */
export const PagePatterns = z
  .array(z.string().max(256))
  .max(20)
  .nullable()
  .meta({
    description: "Paths of the pages that it appears on, with `*` for any characters; null is everywhere.",
    example: ["/reports*"],
  });

/** Whom a web campaign is for, as answers have it. */
export const VisitorsOfCampaign = z.enum(VISITORS_MET).meta({
  description:
    "Whether a web campaign is for visitors who are not signed in: `none` is for users alone, `also` for both, `only` for visitors alone. Email and push campaigns have `none`.",
  example: "none",
});

export const EffectiveStatus = z.enum(["draft", "scheduled", "running", "paused", "expired", "ended"]);
export const Channel = z.enum(["web_inapp", "email", "push"]);
export type Channel = z.infer<typeof Channel>;
/** What the message of a campaign is: that of its channel, or a mail whose text is filled with the data of each request. */
export type MessageKind = Channel | "receipt";

/** What a campaign is for, as answers have it. */
export const PurposeOfCampaign = z.enum(PURPOSES).meta({
  description:
    "`marketing`: it goes to the users of its audience. `transactional`: it is a template, and goes to each recipient for whom it is requested (`POST /send`), such as a receipt.",
  example: "marketing",
});

/** By what requests to send a template name it. */
export const templateKey = z
  .string()
  .max(64)
  .regex(/^[a-z0-9_-]{1,64}$/, "must be 1 to 64 of a to z, 0 to 9, _ and -")
  .meta({ description: "By what requests to send it name the template.", example: "receipt" });
export const StoredStatus = z.enum(["draft", "running", "paused", "ended"]);

/** A message as it is stored and shown: the shape follows from the channel. */
export const StoredMessage = storedAs(WebMessage, EmailMessage, PushContent);

/** The most characters of a title, so that it fits on a line or two. */
export const MAX_TITLE = 120;

export const Variant = z
  .object({
    id: id.meta({ description: "Id of the variant.", example: example.variant }),
    name: z
      .string()
      .max(40)
      .meta({ description: "Its name, unique in the campaign; A, B, C by itself.", example: "A" }),
    weight: z
      .int()
      .min(0)
      .max(100)
      .meta({ description: "Its share of users, among the weights of all; 0 retires it.", example: 1 }),
    isControl: z.boolean().meta({
      description: "Whether the others are compared with it; one variant of a campaign is.",
      example: true,
    }),
    content: StoredMessage.meta({
      description: "What it says.",
      example: { presentation: "toast", title: "Twice the reports, half the price" },
    }),
    title: z.string().max(MAX_TITLE).meta({
      description:
        "What users without traits read first: its title, its subject, or the beginning of its text.",
      example: "Twice the reports, half the price",
    }),
    stats: CampaignStats.describe("How many deliveries reached each point."),
  })
  .meta({ id: "Variant" });
export type Variant = z.infer<typeof Variant>;

const sourceId = text(128).describe(
  "The source of the change, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
);

/** The most changes that a campaign announces, and commits of one of them. */
const MAX_CHANGES = 100;
const MAX_SHAS = 250;

/** A change of code that a campaign announces. */
export const SourceChange = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({
        sourceId: sourceId.meta({ example: "web" }),
        kind: z.literal("commit").describe("Whether it is a commit or a pull request."),
        sha: commitSha.meta({ description: "The commit: 40 hexadecimal digits.", example: example.commit }),
      }),
      z.strictObject({
        sourceId,
        kind: z.literal("pull_request").describe("Whether it is a commit or a pull request."),
        number: z
          .int()
          .min(1)
          .max(Number.MAX_SAFE_INTEGER)
          .describe("Its number at the host of the repository."),
        shas: z
          .array(commitSha)
          .min(1)
          .max(MAX_SHAS)
          .describe("The commits of the pull request, oldest first."),
      }),
    ],
    "must be one of commit, pull_request",
  )
  .meta({ id: "SourceChange" });
export type SourceChange = z.infer<typeof SourceChange>;

/** What identifies a change within a declaration. */
const changeKey = (change: SourceChange): string =>
  JSON.stringify([change.sourceId, change.kind, change.kind === "commit" ? change.sha : change.number]);

const sourceChanges = z
  .array(SourceChange)
  .max(MAX_CHANGES)
  .check((ctx) => {
    const seen = new Set<string>();
    for (const [index, change] of ctx.value.entries()) {
      const refuse = (path: PropertyKey[], message: string) =>
        ctx.issues.push({ code: "custom", path: [index, ...path], message, input: ctx.value });
      if (seen.has(changeKey(change))) refuse([], "is declared twice");
      seen.add(changeKey(change));
      if (change.kind === "pull_request" && new Set(change.shas).size < change.shas.length)
        refuse(["shas"], "must not name a commit twice");
    }
  });

/** The changes of code that a campaign announces. */
export const Declaration = z
  .object({
    revision: z
      .string()
      .max(64)
      .meta({ description: "Changes with the declaration; a replacement names it.", example: example.hash }),
    changes: z
      .array(SourceChange)
      .max(MAX_CHANGES)
      .describe("Each a commit, or a pull request with its commits."),
  })
  .meta({ id: "Declaration" });
export type Declaration = z.infer<typeof Declaration>;

/** What keeps a campaign from launching. */
export const Blocker = z
  .object({
    code: z
      .enum([
        "manual",
        "approval",
        "no_sources",
        "mapping",
        "source_pending",
        "source_paused",
        "source_unavailable",
        "project_paused",
        "withdrawn",
        "deployment",
        "evidence_unknown",
        "reverted",
        "expired",
        "readiness",
      ])
      .describe("What is missing."),
    sourceId: z
      .string()
      .max(128)
      .optional()
      .describe(
        "The source, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
      ),
    requirementId: id.optional().describe("The declared change that it is about."),
    mappingId: id.optional().describe("The environment that it is about."),
    detail: z.string().max(1_000).optional().describe("What to do, or why."),
  })
  .meta({ id: "Blocker" });
export type Blocker = z.infer<typeof Blocker>;

/** When on a day the messages of a campaign leave. */
export const SendTime = z
  .strictObject({
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be an hour such as 09:00")
      .max(5)
      .meta({ description: "The time of the day.", example: "09:00" }),
    zone: text(64)
      .refine((zone) => zone === READERS_ZONE || zoneNamed(zone) !== null, {
        message: "must be user, or an IANA zone such as Europe/Berlin",
      })
      .meta({
        description:
          "`user`: that of each reader (trait `$timezone`, else the setting `time.zone`). Or one zone for all.",
        example: READERS_ZONE,
      }),
    weekdays: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .max(7)
      .refine((days) => new Set(days).size === days.length, { message: "must not name a day twice" })
      .optional()
      .describe("The days on which it may leave; without them any."),
  })
  .meta({ id: "SendTime" });

/** A campaign as lists show it. `startedAt` and `endedAt` are absent until set. */
/** The author of a pause, and its instant. */
export const PausedBy = z
  .object({
    by: z
      .enum(["human", "api", "agent", "guardrail", "import"])
      .describe(
        "A person, a program with the secret key, an agent, Tidings for a limit of the goal; or it ran in the project that was imported.",
      ),
    name: z.string().max(256).nullable().describe("The person."),
    at: epochMs.describe("When, in epoch milliseconds."),
    runId: z
      .string()
      .max(128)
      .nullable()
      .meta({ description: "The run that says why.", example: example.run }),
    guardrail: z.string().max(128).nullable().describe("The limit that it went beyond."),
  })
  .meta({ id: "PausedBy" });
export type PausedBy = z.infer<typeof PausedBy>;

/** The author of the end of a campaign, and its instant. */
export const EndedBy = z
  .object({
    by: z
      .enum(["human", "api", "agent", "itself"])
      .describe(
        "A person, a program with the secret key, an agent; or the campaign ended by itself: it is sent `once`, and all its messages were finished.",
      ),
    name: z.string().max(256).nullable().describe("The person."),
    at: epochMs.describe("When, in epoch milliseconds."),
    runId: z
      .string()
      .max(128)
      .nullable()
      .meta({ description: "The run that says why.", example: example.run }),
  })
  .meta({ id: "EndedBy" });
export type EndedBy = z.infer<typeof EndedBy>;

export const Campaign = z
  .object({
    id: id.meta({ description: "Id of the campaign.", example: example.campaign }),
    name: z.string().max(80).meta({ description: "What people call it.", example: "Offer the pro plan" }),
    status: StoredStatus.describe("What people last made of it."),
    effectiveStatus: EffectiveStatus.meta({
      description: "Its state at this moment, with the delivery window.",
      example: "running",
    }),
    channel: Channel.describe("Where it appears."),
    purpose: PurposeOfCampaign,
    key: z
      .string()
      .max(64)
      .nullable()
      .meta({ description: "By what requests to send it name it; null for other campaigns.", example: null }),
    sensitive: z
      .boolean()
      .describe(
        "Of a transactional campaign: whether what it is filled with is sealed, never shown, and deleted once the mail was accepted; its links are not counted.",
      ),
    goalId: answerIds.goal.nullable(),
    topicId: id.nullable().meta({
      description: "What it is about: it goes to who wants this topic alone; null for one about everything.",
      example: null,
    }),
    agentRunId: id.nullable().meta({ description: "The agent run that decided it.", example: example.run }),
    journeyStep: z
      .object({
        journeyId: z.string().max(128).meta({ description: "Id of the journey.", example: example.journey }),
        stepId: z
          .string()
          .max(32)
          .meta({ description: "Id of the step in its journey.", example: "reminder" }),
      })
      .nullable()
      .meta({
        description:
          "The step of a journey whose message it is: it goes to users who come there, and the journey launches and ends it. Null for other campaigns.",
        example: null,
      }),
    createdBy: z
      .string()
      .max(40)
      .meta({ description: "Who made it: `human`, `api` or `agent`.", example: "api" }),
    createdAt: epochMs,
    startedAt: epochMs.optional(),
    endedAt: epochMs.optional(),
    pausedBy: PausedBy.nullable().describe(
      "Who paused it, while it is paused; null where it is not, or nobody knows any more: it was paused before this was written down.",
    ),
    endedBy: EndedBy.nullable().describe(
      "Who ended it, once it has ended; null where it has not, or nobody knows any more: it ended before this was written down.",
    ),
    deliverFrom: epochMs.nullable().describe("When delivery begins; null is at once."),
    deliverUntil: epochMs.nullable().describe("When delivery ends; null is never."),
    once: z
      .boolean()
      .describe(
        "Whether it goes through its audience one time, and then ends by itself when all its messages are finished: who matches later gets nothing. Without it, a campaign that runs goes on to whoever matches later.",
      ),
    sendTime: SendTime.nullable().describe(
      "When on a day each of its messages leaves; null is at once, and that of web campaigns.",
    ),
    priority: z
      .int()
      .describe("Of several messages that are due for one reader, those with the highest go first."),
    patienceHours: z.int().describe("For how long a message waits that is postponed; then it is withdrawn."),
    urgent: z.boolean().describe("Whether its messages pass quiet hours and pressure."),
    passEndedAt: epochMs
      .nullable()
      .describe(
        "With `once`: when it had gone through its audience. Null while it has not, and for other campaigns.",
      ),
    audience: Audience.meta({ description: "Who it is for.", example: { kind: "all" } }),
    targeting: Targeting.nullable().meta({
      description:
        "Deprecated form of `audience`: every condition must hold; none at all means everyone. Null where another form was used.",
      example: null,
    }),
    visitors: VisitorsOfCampaign,
    pages: PagePatterns,
    stats: CampaignStats.describe("How many deliveries reached each point."),
    push: PushSettings.nullable().meta({ description: "Null for the other channels.", example: null }),
    sourceChanges: Declaration.describe(
      "The changes of code that it announces: it launches once they are live.",
    ),
  })
  .meta({ id: "Campaign" });
export type Campaign = z.infer<typeof Campaign>;

export const CampaignDetail = Campaign.extend({
  variants: z.array(Variant).max(MAX_VARIANTS).describe("The variants."),
  pausedBecause: z
    .string()
    .max(4_000)
    .nullable()
    .describe("Why it was paused, as the run of `pausedBy` says; null where it names none."),
  revision: z.string().max(64).meta({
    description:
      "Changes with whatever a request can change of the campaign; an `expectedRevision` names it.",
    example: example.hash,
  }),
}).meta({ id: "CampaignDetail" });
export type CampaignDetail = z.infer<typeof CampaignDetail>;

/** A message in a request: its shape depends on the campaign's channel. */
export const MessageInput = anyOf(WebMessage, EmailMessage, PushContent);

export const variantName = text(40);
export const variantWeight = z.int().min(0).max(100);

/** A variant of a campaign that is being made. */
const VariantInput = z.object({
  name: variantName.optional().describe("Its name, unique in the campaign; A, B, C by itself."),
  message: MessageInput.describe("What it says, in the shape of the campaign's channel."),
  weight: variantWeight.optional().describe("Its share of users, among the weights of all; 0 retires it."),
  isControl: z
    .boolean()
    .optional()
    .describe("Whether the others are compared with it; one variant of a campaign is."),
});

export type VariantInput = z.infer<typeof VariantInput>;

/** In a request the time to live may be left out. */
const PushSettingsInput = PushSettings.extend({
  ttlSeconds: PushSettings.shape.ttlSeconds
    .unwrap()
    .optional()
    .describe("For how long it is worth delivering, in seconds."),
}).meta({
  id: "PushSettingsInput",
  description: "Push campaigns have them, and no others.",
});
export type PushSettingsInput = z.infer<typeof PushSettingsInput>;

const pagePattern = text(256)
  .refine((pattern) => pattern.startsWith("/"), "must start with /")
  .meta({ pattern: "^/" });

/** What says when the messages of a campaign leave. */
const timing = {
  sendTime: SendTime.nullable().describe(
    "The hour at which each message of an email or push campaign leaves; null is at once.",
  ),
  priority: z
    .int()
    .min(1)
    .max(5)
    .describe("Of several messages that are due for one reader, those with the highest go first."),
  patienceHours: z
    .int()
    .min(1)
    .max(720)
    .describe(
      "For how long a message waits for quiet hours, for pressure or for the cap to let it leave; then it is withdrawn.",
    ),
  urgent: z
    .boolean()
    .describe(
      "Whether its messages leave in quiet hours, and whatever else the reader got. It never passes what readers chose.",
    ),
};

const once = z
  .boolean()
  .describe(
    "Whether an email or push campaign goes through its audience one time, and then ends by itself. Setting it, and a change of the audience with it, begins another pass: nobody gets the campaign twice.",
  );

const shared = {
  name: text(80).describe("What people call it."),
  audience: AudienceInput.describe("Who it is for."),
  targeting: Targeting.nullable().describe(
    "Deprecated form of `audience`: every condition must hold; none at all means everyone. Null where another form was used.",
  ),
  visitors: z
    .enum(VISITORS_MET)
    .describe(
      "Whether a web campaign is for visitors who are not signed in: `none` is for users alone, `also` for both, `only` for visitors alone.",
    ),
  pages: z
    .array(pagePattern)
    .max(20)
    .nullable()
    .describe("Paths of the pages that it appears on, with `*` for any characters; null is everywhere."),
  goalId: text(128).nullable().describe("The goal that it is for."),
  topicId: text(128)
    .nullable()
    .describe(
      "What an email or push campaign is about: it goes to who wants this topic alone, and who leaves by one click leaves the topic.",
    ),
  agentRunId: text(128).nullable().describe("The agent run that decided it."),
  deliverFrom: instant.nullable().describe("When delivery begins; null is at once."),
  deliverUntil: instant.nullable().describe("When delivery ends; null is never."),
  once,
  ...timing,
  message: MessageInput.optional().describe("What it says: one variant, named A."),
};

export const CreateCampaignBody = z.object({
  ...shared,
  channel: Channel.default("web_inapp").describe(
    "It cannot be changed later, and says what a message looks like.",
  ),
  purpose: z
    .enum(PURPOSES)
    .default("marketing")
    .describe(
      "It cannot be changed later. `transactional`: a template of mail that goes to each recipient for whom it is requested; it has a `key`, and no audience and window.",
    ),
  key: templateKey
    .optional()
    .describe(
      "By what requests to send it name a transactional campaign: 1 to 64 of a to z, 0 to 9, _ and -. It cannot be changed later.",
    ),
  sensitive: z
    .boolean()
    .default(false)
    .describe(
      "Of a transactional campaign: whether what it is filled with is sealed, never shown, and deleted once the mail was accepted. It cannot be changed later.",
    ),
  audience: shared.audience.optional(),
  targeting: shared.targeting.optional(),
  visitors: shared.visitors.default("none"),
  pages: shared.pages.optional(),
  goalId: shared.goalId.optional(),
  topicId: shared.topicId.optional(),
  agentRunId: shared.agentRunId.optional(),
  deliverFrom: shared.deliverFrom.optional(),
  deliverUntil: shared.deliverUntil.optional(),
  once: once.default(false),
  sendTime: timing.sendTime.default(null),
  priority: timing.priority.default(DEFAULT_TIMING.priority),
  patienceHours: timing.patienceHours.default(DEFAULT_TIMING.patienceHours),
  urgent: timing.urgent.default(DEFAULT_TIMING.urgent),
  variants: z
    .array(VariantInput)
    .min(1)
    .max(MAX_VARIANTS)
    .optional()
    .describe("Several messages, of which each user gets one by weight. Instead of `message`."),
  launch: z.boolean().default(false).describe("Whether it runs from now on; otherwise it is a draft."),
  sourceChanges: z
    .strictObject({ changes: sourceChanges.describe("Each a commit, or a pull request with its commits.") })
    .optional()
    .describe("The changes of code that it announces: it launches once they are live."),
  push: PushSettingsInput.optional().describe("How a push campaign is sent."),
});
export type CreateCampaignBody = z.infer<typeof CreateCampaignBody>;

export const VariantPatch = z
  .object({
    id: id.min(1).optional().describe("A variant to change; without it a variant is made."),
    name: variantName.optional().describe("Its name, unique in the campaign; A, B, C by itself."),
    message: MessageInput.optional().describe("What it says, in the shape of the campaign's channel."),
    weight: variantWeight.optional().describe("Its share of users, among the weights of all; 0 retires it."),
    isControl: z
      .boolean()
      .optional()
      .describe("Whether the others are compared with it; one variant of a campaign is."),
  })
  .check((ctx) => {
    const { id: given, ...changes } = ctx.value;
    const fault =
      given === undefined
        ? changes.message === undefined && "must have a message: without an id it makes a new variant"
        : Object.values(changes).every((value) => value === undefined) &&
          "must change something beside naming an id";
    if (fault) ctx.issues.push({ code: "custom", message: fault, input: ctx.value });
  });
export type VariantPatch = z.infer<typeof VariantPatch>;

/** Any subset of the fields that may change. */
export const UpdateCampaignBody = patch(
  {
    ...shared,
    variants: z.array(VariantPatch).min(1).max(MAX_VARIANTS).describe("Changes of variants, and new ones."),
    sourceChanges: z
      .strictObject({
        expectedRevision: text(128).describe("The `revision` of what is declared now."),
        changes: sourceChanges.describe("Each a commit, or a pull request with its commits."),
      })
      .describe("The changes of code that it announces: it launches once they are live."),
    push: PushSettingsInput.optional().describe("How a push campaign is sent."),
  },
  {
    expectedRevision: text(128)
      .describe("The `revision` of the campaign that the change is for; where it has another one, 409.")
      .optional(),
  },
);
export type UpdateCampaignBody = z.infer<typeof UpdateCampaignBody>;
