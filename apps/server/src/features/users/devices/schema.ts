import { z } from "zod";
import { externalUserId, Platform, PushEnvironment } from "../../../domain/fields.ts";
import { epochMs, installationCapability, text, userHash } from "../../../platform/http/contract/fields.ts";

/** The largest value of a counter: 2^52 - 1. */
export const MAX_COUNTER = 4_503_599_627_370_495;
const counter = z.int().min(0).max(MAX_COUNTER);

export const Permission = z
  .enum(["unknown", "not_determined", "denied", "provisional", "granted"])
  .describe("What the system lets the app show.");

/** Refuses a list in which two entries are the same, or have the same `id`. */
function distinct(ctx: z.core.ParsePayload<(string | { id: string })[]>): void {
  const ids = ctx.value.map((entry) => (typeof entry === "string" ? entry : entry.id));
  if (new Set(ids).size < ids.length)
    ctx.issues.push({ code: "custom", message: "must not have an entry twice", input: ctx.value });
}

const names = (max: number, entries: number) =>
  z.array(text(max)).max(entries).check(distinct).meta({ uniqueItems: true });

const actionId = text(64)
  .refine((id) => /^[A-Za-z0-9_-]*$/.test(id), "must be made of A-Z, a-z, 0-9, - and _")
  .meta({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

const Category = z.strictObject({
  id: text(128).describe("Name of the category."),
  actions: z
    .array(
      z.strictObject({
        id: actionId.describe("Name of the button for the app."),
        title: text(64).describe("Text of the button."),
      }),
    )
    .max(4)
    .check(distinct)
    .describe("Its buttons, in order."),
});

/** What the app on this device can show of a notification. */
const Capabilities = z
  .strictObject({
    actions: names(64, 32).describe("Actions that the app handles."),
    channels: names(128, 64).describe("Notification channels that it has (Android)."),
    richImages: z.boolean().describe("Whether it can show images."),
    categories: z
      .array(Category)
      .max(16)
      .check(distinct)
      .optional()
      .describe("Categories with their buttons, in order (iOS)."),
  })
  .meta({ id: "InstallationCapabilities" });
export type Capabilities = z.infer<typeof Capabilities>;

/** A copy of the customer's app on a device. */
export const Installation = z
  .strictObject({
    id: z.string().min(1).max(128).meta({ description: "The id that the app made up.", example: "phone-1" }),
    appId: z
      .string()
      .min(1)
      .max(256)
      .meta({ description: "Bundle id, package name, or your name of a site.", example: "com.example.app" }),
    platform: Platform.describe("What the device runs: `web` is a browser."),
    environment: PushEnvironment.describe("Which of the provider's environments the app was built for."),
    userId: z.string().max(256).nullable().meta({
      description: "The user that it is bound to, by the id in your product; null is nobody.",
      example: "ada",
    }),
    bindingGeneration: counter.meta({ description: "How often the user has changed.", example: 1 }),
    revision: counter.meta({ description: "How often the installation has been changed.", example: 1 }),
    tokenRevision: counter.meta({
      description: "How often it has put another token, or removed it.",
      example: 1,
    }),
    hasToken: z.boolean().describe("Whether it has a push token."),
    permission: Permission,
    consent: z.boolean().describe("Whether the user has agreed to pushes."),
    capabilities: Capabilities.meta({
      description: "What this build of the app can show and do.",
      example: { actions: ["reply"], channels: ["news"], richImages: true },
    }),
    lastActiveAt: epochMs
      .min(1)
      .nullable()
      .describe("When somebody last used the app, epoch milliseconds; null where that is not known."),
    createdAt: epochMs,
  })
  .meta({ id: "Installation" });
export type Installation = z.infer<typeof Installation>;

export const InstallationAnswer = z.strictObject({
  installation: Installation.describe("The installation: a copy of your app on a device."),
});

const installationId = text(128);
export const installationPath = z.object({
  installationId: installationId.meta({
    description: "The installation, by the id that the app made up.",
    example: "phone-1",
  }),
});

export const BootstrapBody = z.strictObject({
  installationId: installationId
    .refine((id) => /^[A-Za-z0-9_-]*$/.test(id), "must be made of A-Z, a-z, 0-9, - and _")
    .meta({ pattern: "^[A-Za-z0-9_-]{1,128}$" })
    .describe("The installation, by the id that the app made up."),
  appId: text(256).describe("Bundle id, package name, or your name of a site."),
  platform: Platform.describe("What the device runs: `web` is a browser."),
  environment: PushEnvironment.describe("Of the push provider."),
  capability: installationCapability.describe(
    "What the installation proves itself with: 32 random bytes in base64url. It is not shown again.",
  ),
});

/** The fields of every change of an installation: its id, and the state for which it is meant. */
const guards = {
  requestId: text(128).describe("A new one for each change, the same one for its repeats."),
  bindingGeneration: counter.describe("How often the user of the installation has changed."),
  revision: counter.describe("How often it has been changed."),
};
export type Guards = { requestId: string; bindingGeneration: number; revision: number };

export const BindingBody = z.strictObject({
  ...guards,
  userId: externalUserId.nullable(),
  userHash: userHash.optional(),
});
export const FactsBody = z.strictObject({
  ...guards,
  permission: Permission,
  consent: z.boolean().describe("Whether the user has agreed to pushes."),
  capabilities: Capabilities.describe("What this build of the app can show and do."),
});
export const TokenBody = z.strictObject({
  ...guards,
  tokenRevision: counter.describe("How often another token was put, or removed."),
  token: text(4_096)
    .nullable()
    .describe("The push token of the device, for `web` the subscription as JSON; null removes it."),
});
export const ActivityBody = z.strictObject(guards);
