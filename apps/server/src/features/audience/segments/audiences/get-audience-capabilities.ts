import { z } from "zod";
import { atOneInstant } from "../../../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../../../platform/http/contract/fields.ts";
import { bringUpToDate, haveOthers, readEvents, readTraits } from "../../../counting/rollups/public.ts";
import { countedThrough } from "../../../counting/rollups/schema.ts";
import { NODE_KINDS } from "../../language/parse/parse.pure.ts";
import * as language from "../../language/schema.ts";

const MAX_TRAITS = 500;
const MAX_EVENTS = 500;
const MAX_PROPERTIES = 100;

const comparing = ["exists", "not_exists", "eq", "neq", "in", "not_in"] as const;
const inTime = language.TIME_OPERATORS.filter((op) => op !== "exists" && op !== "not_exists");

/** The parts of the audience language, which are the same for all projects. */
const EXPRESSION = {
  versions: [1],
  nodeKinds: [...NODE_KINDS],
  fieldKinds: ["trait", "user", "event_property"],
  operators: {
    string: [...comparing, "contains", "starts_with", "ends_with", ...inTime],
    number: [...comparing, "gt", "gte", "lt", "lte"],
    boolean: ["exists", "not_exists", "eq", "neq"],
    datetime: [...language.TIME_OPERATORS],
    id: [...language.ID_OPERATORS],
  },
  userFields: [...language.USER_FIELDS],
  messageDeeds: {
    web_inapp: [...language.DEEDS_BY_CHANNEL.web_inapp],
    email: [...language.DEEDS_BY_CHANNEL.email],
    push: [...language.DEEDS_BY_CHANNEL.push],
  },
  countOperators: [...language.COUNT_OPERATORS],
  windowUnits: Object.keys(language.WINDOW_UNITS),
  limits: {
    maxDepth: language.MAX_DEPTH,
    maxNodes: language.MAX_NODES,
    maxChildren: language.MAX_CHILDREN,
    maxWhere: language.MAX_WHERE,
    maxListItems: language.MAX_MEMBERS,
    maxKeyLength: language.MAX_KEY_LENGTH,
    maxEventLength: language.MAX_EVENT_LENGTH,
    maxTextLength: language.MAX_TEXT_LENGTH,
    maxCampaigns: language.MAX_CAMPAIGNS,
    maxEventCount: language.MAX_EVENT_COUNT,
    maxWindowMs: language.MAX_WINDOW_MS,
    maxEvaluatedEventOccurrences: language.MAX_EVALUATED_EVENT_OCCURRENCES,
  },
};

const names = z.array(z.string().max(40)).max(40);
const byType = z.record(z.string(), count).describe("JSON type to how many.");
const key = z.string().max(256);

const Capabilities = z
  .object({
    expression: z
      .object({
        versions: z
          .array(z.int())
          .max(10)
          .meta({ description: "Versions of the language.", example: [1] }),
        nodeKinds: names.meta({
          description: "Kinds of nodes.",
          example: ["all", "any", "not", "field", "event", "message"],
        }),
        fieldKinds: names.meta({
          description: "Kinds of fields.",
          example: ["trait", "user", "event_property"],
        }),
        operators: z.record(z.string(), names).meta({
          description: "By type of the value; those of `id` are for the id of a user.",
          example: { boolean: ["exists", "not_exists", "eq", "neq"] },
        }),
        userFields: names.describe("What Tidings knows of every user by itself."),
        messageDeeds: z
          .object({
            web_inapp: names.describe("In the page."),
            email: names.describe("By email."),
            push: names.describe("By push."),
          })
          .describe("What users can have done with messages, by channel."),
        countOperators: names.meta({ description: "Operators of counts.", example: ["eq", "gte"] }),
        windowUnits: names.meta({ description: "Units of windows.", example: ["minutes", "hours", "days"] }),
        limits: z
          .record(z.string(), count)
          .meta({ description: "Limits of an expression.", example: { maxDepth: 8 } }),
      })
      .describe("The language of audiences."),
    lifecycleFields: z
      .array(
        z.object({
          field: z.string().max(40).describe("Name of the field."),
          type: z.literal("datetime").describe("Type of its values."),
        }),
      )
      .max(10)
      .describe("Instants that every user has."),
    traits: z
      .array(
        z.object({
          key: key.meta({ description: "Name of the trait.", example: "on-pro" }),
          types: byType.meta({ example: { string: 120 } }),
          users: count.describe("How many users have it; visitors who have it are counted too."),
          values: z
            .array(z.string().max(40))
            .max(100)
            .optional()
            .describe("Its values, where there are few short ones."),
        }),
      )
      .max(MAX_TRAITS)
      .describe("Traits that users have, by reach."),
    events: z
      .array(
        z.object({
          name: z.string().max(80).describe("Name of the event."),
          users: count.describe("How many users did it; visitors who did it are counted too."),
          occurrences: count.meta({ description: "How often it happened.", example: 200 }),
          lastSeenAt: epochMs
            .nullable()
            .describe("When it was last seen, epoch milliseconds; null for never."),
          properties: z
            .array(
              z.object({
                key: key.meta({ description: "Name of the property.", example: "on-pro" }),
                types: byType.meta({ example: { string: 120 } }),
              }),
            )
            .max(MAX_PROPERTIES)
            .describe("Its properties, by reach."),
          propertiesTruncated: z
            .boolean()
            .meta({ description: "Whether it has more properties than are listed.", example: false }),
        }),
      )
      .max(MAX_EVENTS)
      .describe("Events that users have, by reach."),
    traitsTruncated: z
      .boolean()
      .meta({ description: "Whether there are more traits than are listed.", example: false }),
    eventsTruncated: z
      .boolean()
      .meta({ description: "Whether there are more events than are listed.", example: false }),
    ...countedThrough,
  })
  .meta({ id: "AudienceCapabilities" });

export const getAudienceCapabilities = endpoint(
  {
    id: "getAudienceCapabilities",
    method: "GET",
    path: "/api/v1/audiences/capabilities",
    tag: "Audiences",
    summary: "What an audience can be made of in this project",
    description:
      "The language with its limits, and the traits, events and properties that users have shown: counted exactly, by reach. `values` are listed for traits with few short ones. What lies beyond the numbers of names that are counted apart is left out, which `…Truncated` says.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    cost: "heavy",
    result: z.object({ capabilities: Capabilities.describe("What there is to make audiences of.") }),
  },
  async ({ app, db, projectId, now }) => {
    const behind = await bringUpToDate(app, projectId, now);
    const { traits, events, others } = await atOneInstant(db, async (tx) => ({
      traits: await readTraits(tx, projectId, MAX_TRAITS + 1),
      events: await readEvents(tx, projectId, { limit: MAX_EVENTS + 1, properties: MAX_PROPERTIES }),
      others: await haveOthers(tx, projectId),
    }));
    return {
      capabilities: {
        expression: EXPRESSION,
        lifecycleFields: ["firstSeenAt", "lastSeenAt"].map((field) => ({ field, type: "datetime" as const })),
        traits: traits
          .slice(0, MAX_TRAITS)
          .map(({ values, ...trait }) => ({ ...trait, ...(values === null ? {} : { values }) })),
        events: events.slice(0, MAX_EVENTS).map(({ properties, hasOther, ...event }) => ({
          ...event,
          properties: properties.slice(0, MAX_PROPERTIES),
          propertiesTruncated: hasOther || properties.length > MAX_PROPERTIES,
        })),
        traitsTruncated: others.traits || traits.length > MAX_TRAITS,
        eventsTruncated: others.events || events.length > MAX_EVENTS,
        ...behind,
      },
    };
  },
);
