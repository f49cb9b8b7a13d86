import { z } from "zod";
import { example } from "../../../domain/fields.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { topicKey } from "../../campaigns/topics/schema.ts";
import { CONSENT_ACTIONS, CONSENT_VIA } from "./rules.ts";

/** Whether a reader gets messages about a topic. */
export const InOrOut = z.enum(["in", "out"]);

/** Whether messages come by email, whose reader is an address, or by push, whose reader is a user. */
export const ConsentChannel = z.enum(["email", "push"]);

const Chosen = z.object({
  wants: InOrOut.describe("Whether they get it: what they chose, or else the default of the topic."),
  chosenAt: epochMs
    .nullable()
    .describe("When they chose, epoch milliseconds; null where the default counts."),
});

/** What a user gets of a topic. */
export const TopicSubscription = z
  .object({
    topicId: z.string().max(128).meta({ description: "Id of the topic.", example: example.topic }),
    topic: topicKey.describe("Its key."),
    name: z.string().max(80).meta({ description: "What readers see.", example: "Newsletter" }),
    email: Chosen.nullable().describe(
      "By email, which the owner of the address chooses; null where the user has no address.",
    ),
    push: Chosen.describe("By push, which the user chooses."),
  })
  .meta({ id: "TopicSubscription" });
export type TopicSubscription = z.infer<typeof TopicSubscription>;

/** What a user gets, by topic and way. */
export const TopicSubscriptions = z
  .object({
    address: z.string().max(320).nullable().meta({
      description: "Where mail goes; null where the user has no address.",
      example: "ada@example.com",
    }),
    stopped: z
      .boolean()
      .describe("Whether the address gets no mail of campaigns at all, whatever it chose of topics."),
    topics: z.array(TopicSubscription).max(1_000).describe("The topics that are not archived, by name."),
  })
  .meta({ id: "TopicSubscriptions" });

/** What happened of a consent. */
export const Consent = z
  .object({
    id: z.string().max(40).meta({ description: "Its number, which rises.", example: "1042" }),
    channel: ConsentChannel.describe("Whether it is about an address, or about pushes to a user."),
    address: z
      .string()
      .max(320)
      .nullable()
      .meta({ description: "The address; null where its user was erased.", example: "ada@example.com" }),
    externalUserId: z
      .string()
      .max(256)
      .nullable()
      .meta({ description: "Of pushes: the user's id in your product.", example: null }),
    topic: topicKey.nullable().describe("The key of the topic; null for all mail at once."),
    action: z
      .enum(CONSENT_ACTIONS)
      .describe(
        "requested: a mail was sent that asks to confirm. confirmed: its button was pressed. joined, left: chosen without such a mail.",
      ),
    via: z
      .enum(CONSENT_VIA)
      .describe(
        "one_click: the unsubscribe button of a mail. preferences: the page of their choices. confirmation: the mail that asks. form: a page of yours. api: your server. person: a member of your team. import: another tool.",
      ),
    at: epochMs,
    source: z.string().max(64).nullable().meta({
      description: "Where it was, as the request called it.",
      example: "footer",
    }),
    form: z.string().max(64).nullable().meta({
      description: "SHA-256 of what the form said, as the request that joined gave it.",
      example: null,
    }),
    by: z.string().max(256).nullable().meta({ description: "Who of the team did it.", example: null }),
    ip: z
      .string()
      .max(64)
      .nullable()
      .meta({ description: "From where, if `consent.keepIp` keeps that.", example: null }),
  })
  .meta({ id: "Consent" });
export type Consent = z.infer<typeof Consent>;
