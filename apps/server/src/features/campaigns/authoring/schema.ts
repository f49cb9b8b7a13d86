import { z } from "zod";
import { commitSha } from "../../../domain/fields.ts";
import {
  anyOf,
  count,
  epochMs,
  instant,
  patch,
  storedAs,
  text,
} from "../../../platform/http/contract/fields.ts";
import { Audience, AudienceInput, Targeting } from "../../audience/language/schema.ts";
import { EmailMessage } from "../../content/email/message.pure.ts";
import { PushContent, PushSettings } from "../../content/push/message.pure.ts";
import { WebMessage } from "./message/message.pure.ts";
import { MAX_VARIANTS } from "./rules.ts";

const id = z.string().max(128);

/** How many deliveries of a campaign, or of one variant, reached each point. Exact when read. */
export const CampaignStats = z
  .object({
    sent: count,
    frequencyCapped: count,
    delivered: count,
    shown: count,
    opened: count,
    clicked: count,
    dismissed: count,
    bounced: count,
    complained: count,
    unsubscribed: count,
    converted: count,
  })
  .meta({ id: "CampaignStats" });
export type CampaignStats = z.infer<typeof CampaignStats>;

export const EffectiveStatus = z.enum(["draft", "scheduled", "running", "paused", "expired", "ended"]);
export const Channel = z.enum(["web_inapp", "email", "push"]);
export type Channel = z.infer<typeof Channel>;
export const StoredStatus = z.enum(["draft", "running", "paused", "ended"]);

/** A message as it is stored and shown: the shape follows from the channel. */
export const StoredMessage = storedAs(WebMessage, EmailMessage, PushContent);

/** The most characters of a title, so that it fits on a line or two. */
export const MAX_TITLE = 120;

export const Variant = z
  .object({
    id,
    name: z.string().max(40),
    weight: z.int().min(0).max(100),
    isControl: z.boolean(),
    content: StoredMessage,
    title: z
      .string()
      .max(MAX_TITLE)
      .describe(
        "What users without traits read first: its title, its subject, or the beginning of its text.",
      ),
    stats: CampaignStats,
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
      z.strictObject({ sourceId, kind: z.literal("commit"), sha: commitSha }),
      z.strictObject({
        sourceId,
        kind: z.literal("pull_request"),
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
    revision: z.string().max(64).describe("Changes with the declaration; a replacement names it."),
    changes: z.array(SourceChange).max(MAX_CHANGES),
  })
  .meta({ id: "Declaration" });
export type Declaration = z.infer<typeof Declaration>;

/** What keeps a campaign from launching. */
export const Blocker = z
  .object({
    code: z.enum([
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
    ]),
    sourceId: z.string().max(128).optional(),
    requirementId: id.optional().describe("The declared change that it is about."),
    mappingId: id.optional().describe("The environment that it is about."),
    detail: z.string().max(1_000).optional(),
  })
  .meta({ id: "Blocker" });
export type Blocker = z.infer<typeof Blocker>;

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
    runId: z.string().max(128).nullable().describe("The run that says why."),
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
    runId: z.string().max(128).nullable().describe("The run that says why."),
  })
  .meta({ id: "EndedBy" });
export type EndedBy = z.infer<typeof EndedBy>;

export const Campaign = z
  .object({
    id,
    name: z.string().max(80),
    status: StoredStatus,
    effectiveStatus: EffectiveStatus,
    channel: Channel,
    goalId: z.string().max(128).nullable(),
    agentRunId: id.nullable(),
    createdBy: z.string().max(40),
    createdAt: epochMs,
    startedAt: epochMs.optional(),
    endedAt: epochMs.optional(),
    pausedBy: PausedBy.nullable().describe(
      "Who paused it, while it is paused; null where it is not, or nobody knows any more: it was paused before this was written down.",
    ),
    endedBy: EndedBy.nullable().describe(
      "Who ended it, once it has ended; null where it has not, or nobody knows any more: it ended before this was written down.",
    ),
    deliverFrom: epochMs.nullable(),
    deliverUntil: epochMs.nullable(),
    once: z
      .boolean()
      .describe(
        "Whether it goes through its audience one time, and then ends by itself when all its messages are finished: who matches later gets nothing. Without it, a campaign that runs goes on to whoever matches later.",
      ),
    passEndedAt: epochMs
      .nullable()
      .describe(
        "With `once`: when it had gone through its audience. Null while it has not, and for other campaigns.",
      ),
    audience: Audience,
    targeting: Targeting.nullable(),
    pages: z.array(z.string().max(256)).max(20).nullable(),
    stats: CampaignStats,
    push: PushSettings.nullable().describe("Null for the other channels."),
    sourceChanges: Declaration,
  })
  .meta({ id: "Campaign" });
export type Campaign = z.infer<typeof Campaign>;

export const CampaignDetail = Campaign.extend({
  variants: z.array(Variant).max(MAX_VARIANTS),
  pausedBecause: z
    .string()
    .max(4_000)
    .nullable()
    .describe("Why it was paused, as the run of `pausedBy` says; null where it names none."),
  revision: z
    .string()
    .max(64)
    .describe("Changes with whatever a request can change of the campaign; an `expectedRevision` names it."),
}).meta({ id: "CampaignDetail" });
export type CampaignDetail = z.infer<typeof CampaignDetail>;

/** A message in a request: its shape depends on the campaign's channel. */
export const MessageInput = anyOf(WebMessage, EmailMessage, PushContent);

const variantName = text(40);
const weight = z.int().min(0).max(100);

/** A variant of a campaign that is being made. */
const VariantInput = z.object({
  name: variantName.optional(),
  message: MessageInput,
  weight: weight.optional(),
  isControl: z.boolean().optional(),
});

export type VariantInput = z.infer<typeof VariantInput>;

/** In a request the time to live may be left out. */
const PushSettingsInput = PushSettings.extend({
  ttlSeconds: PushSettings.shape.ttlSeconds.unwrap().optional(),
}).meta({
  id: "PushSettingsInput",
  description: "Push campaigns have them, and no others.",
});
export type PushSettingsInput = z.infer<typeof PushSettingsInput>;

const pagePattern = text(256)
  .refine((pattern) => pattern.startsWith("/"), "must start with /")
  .meta({ pattern: "^/" });

const once = z
  .boolean()
  .describe(
    "Whether an email or push campaign goes through its audience one time, and then ends by itself. Setting it, and a change of the audience with it, begins another pass: nobody gets the campaign twice.",
  );

const shared = {
  name: text(80),
  audience: AudienceInput,
  targeting: Targeting.nullable(),
  pages: z.array(pagePattern).max(20).nullable(),
  goalId: text(128).nullable(),
  agentRunId: text(128).nullable(),
  deliverFrom: instant.nullable(),
  deliverUntil: instant.nullable(),
  once,
  message: MessageInput.optional(),
};

export const CreateCampaignBody = z.object({
  ...shared,
  channel: Channel.default("web_inapp").describe(
    "It cannot be changed later, and says what a message looks like.",
  ),
  audience: shared.audience.optional(),
  targeting: shared.targeting.optional(),
  pages: shared.pages.optional(),
  goalId: shared.goalId.optional(),
  agentRunId: shared.agentRunId.optional(),
  deliverFrom: shared.deliverFrom.optional(),
  deliverUntil: shared.deliverUntil.optional(),
  once: once.default(false),
  variants: z.array(VariantInput).min(1).max(MAX_VARIANTS).optional(),
  launch: z.boolean().default(false),
  sourceChanges: z.strictObject({ changes: sourceChanges }).optional(),
  push: PushSettingsInput.optional(),
});
export type CreateCampaignBody = z.infer<typeof CreateCampaignBody>;

export const VariantPatch = z
  .object({
    id: id.min(1).optional(),
    name: variantName.optional(),
    message: MessageInput.optional(),
    weight: weight.optional(),
    isControl: z.boolean().optional(),
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
    variants: z.array(VariantPatch).min(1).max(MAX_VARIANTS),
    sourceChanges: z.strictObject({
      expectedRevision: text(128).describe("The `revision` of what is declared now."),
      changes: sourceChanges,
    }),
    push: PushSettingsInput.optional(),
  },
  {
    expectedRevision: text(128)
      .describe("The `revision` of the campaign that the change is for; where it has another one, 409.")
      .optional(),
  },
);
export type UpdateCampaignBody = z.infer<typeof UpdateCampaignBody>;
