import { cutAfter } from "@tidings/client/text";
import { z } from "zod";
import { Destination } from "../../../domain/fields.ts";
import { httpsUrl, mention, text } from "../../../platform/http/contract/fields.ts";
import { type Field, type Origin, parseTemplate, type Template } from "../template/template.pure.ts";

const MAX_DATA_KEYS = 32;
const MAX_DATA_KEY = 128;
const MAX_ACTIONS = 4;
/** Android shows no more buttons than these on a notification. */
const MAX_ANDROID_ACTIONS = 3;
const RESERVED = "tidings";
export const DEFAULT_TTL_SECONDS = 86_400;

/** Adds the fault of a value (the end of a sentence about it) as the issue of its field. */
const free =
  <Value>(faultOf: (value: Value) => string | null) =>
  (ctx: z.core.ParsePayload<Value>) => {
    if (ctx.issues.length > 0) return;
    const fault = faultOf(ctx.value);
    if (fault !== null) ctx.issues.push({ code: "custom", message: fault, input: ctx.value });
  };

const isField = (part: string | Field): part is Field => typeof part !== "string";

/** Parses a text of a push, whose personal fields may have no filter but `default`. The fault is the end of a sentence about the text. */
export function parsePushText(source: string, origin: Origin = "request"): Template | { fault: string } {
  const template = parseTemplate(source, origin);
  if ("fault" in template) return template;
  const filtered = template.parts.filter(isField).find((field) => field.filters !== null);
  return filtered === undefined
    ? template
    : {
        fault: `must not use {{ ${cutAfter(filtered.source, 40)} }}: only default: "…" may follow a trait`,
      };
}

function textFault(value: string): string | null {
  if (value.trim() === "") return "must not be blank";
  const template = parsePushText(value);
  return "fault" in template ? template.fault : null;
}

/** A text that may have personal fields. */
const personal = (max: number) => text(max).check(free(textFault));

const isPlain = (value: string): string | null =>
  /\{[{%]/.test(value) ? "must not have personal fields" : null;

const dataFault = (data: Readonly<Record<string, string>>): string | null => {
  const keys = Object.keys(data);
  if (keys.length > MAX_DATA_KEYS) return `must have at most ${MAX_DATA_KEYS} keys`;
  const reserved = keys.find((key) => key.toLowerCase().startsWith(RESERVED));
  return reserved === undefined ? null : `must not have keys that start with ${RESERVED}`;
};

const Action = z.strictObject({
  id: text(64)
    .refine((id) => /^[A-Za-z0-9_-]*$/.test(id), "must be made of A-Z, a-z, 0-9, - and _")
    .meta({ pattern: "^[A-Za-z0-9_-]{1,64}$" })
    .describe("Name of the button for the app."),
  title: personal(64).describe("Text of the button."),
});

const hasTwice = (actions: readonly { id: string }[]): boolean =>
  new Set(actions.map((action) => action.id)).size < actions.length;

/**
 * What a push says, as a request gives it and as it is stored. `title`, `body`, `ios.subtitle` and the titles of actions may
 * have personal fields, each with a `default` or none.
 */
export const PushContent = z
  .strictObject({
    title: personal(256).describe("The headline."),
    body: personal(2_048).describe("The text."),
    destination: mention(Destination, "Where it leads.").check((ctx) => {
      const fault = isPlain(ctx.value.url);
      if (fault !== null)
        ctx.issues.push({ code: "custom", message: fault, input: ctx.value.url, path: ["url"] });
    }),
    data: z
      .record(text(MAX_DATA_KEY), text(1_024))
      .check(free(dataFault))
      .meta({ maxProperties: MAX_DATA_KEYS })
      .describe(`For the app's own use. Keys that start with ${RESERVED} are reserved.`)
      .optional(),
    image: httpsUrl.check(free(isPlain)).optional().describe("Address of an image that is shown with it."),
    actions: z
      .array(Action)
      .max(MAX_ACTIONS)
      .check(free((actions) => (hasTwice(actions) ? "must not have an id twice" : null)))
      .optional()
      .describe("Buttons."),
    ios: z
      .strictObject({
        subtitle: personal(256).optional().describe("Second line of the headline."),
        sound: text(128).optional().describe("A sound of the app."),
        badge: z.int().min(0).optional().describe("Number on the icon of the app."),
        categoryId: text(128)
          .describe("The category whose buttons the app has for these actions.")
          .optional(),
      })
      .optional()
      .describe("What is said to iOS only."),
    android: z
      .strictObject({
        channelId: text(128).describe("The notification channel of the app that it appears in."),
        sound: text(128).optional().describe("A sound of the app."),
      })
      .optional()
      .describe("What is said to Android only."),
  })
  .check((ctx) => {
    const { actions = [], android } = ctx.value;
    if (android !== undefined && actions.length > MAX_ANDROID_ACTIONS)
      ctx.issues.push({
        code: "custom",
        message: `must be at most ${MAX_ANDROID_ACTIONS} entries where there is android`,
        input: actions,
        path: ["actions"],
      });
  })
  .meta({ id: "PushContent" });
export type PushContent = z.infer<typeof PushContent>;

const Selection = z
  .discriminatedUnion(
    "kind",
    [
      z.strictObject({
        kind: z.enum(["last_active", "all"]).describe("The device used last, all of them, or one."),
      }),
      z.strictObject({
        kind: z.literal("specific").describe("The device used last, all of them, or one."),
        installationId: text(128).describe("The installation, by the id that the app made up."),
      }),
    ],
    "must be one of last_active, all, specific",
  )
  .describe("Which devices of a user get it.");

/** Which app and which devices of its users a push campaign goes to, and for how long it is worth delivering. */
export const PushSettings = z
  .strictObject({
    appId: text(256).describe("Bundle id, package name, or your name of a site."),
    selection: Selection,
    ttlSeconds: z
      .int()
      .min(1)
      .max(2_419_200)
      .default(DEFAULT_TTL_SECONDS)
      .describe("For how long it is worth delivering, in seconds."),
    replacementKey: text(64)
      .describe("A push takes the place of an earlier one with the same key on a device.")
      .optional(),
  })
  .meta({ id: "PushSettings" });
export type PushSettings = z.infer<typeof PushSettings>;
