import { z } from "zod";
import { externalUserId } from "../../../domain/fields.ts";
import { epochMs, installationCapability, text, userHash } from "../../../platform/http/contract/fields.ts";

/** The largest value of a counter: 2^52 - 1. */
export const MAX_COUNTER = 4_503_599_627_370_495;
const counter = z.int().min(0).max(MAX_COUNTER);

export const Platform = z.enum(["ios", "android"]);
export const Environment = z.enum(["development", "production"]);
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
  id: text(128),
  actions: z
    .array(z.strictObject({ id: actionId, title: text(64) }))
    .max(4)
    .check(distinct),
});

/** What the app on this device can show of a notification. */
const Capabilities = z
  .strictObject({
    actions: names(64, 32).describe("Actions that the app handles."),
    channels: names(128, 64).describe("Notification channels that it has (Android)."),
    richImages: z.boolean(),
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
    id: z.string().min(1).max(128),
    appId: z.string().min(1).max(256),
    platform: Platform,
    environment: Environment,
    userId: z.string().max(256).nullable(),
    bindingGeneration: counter.describe("How often the user has changed."),
    revision: counter.describe("How often the installation has been changed."),
    tokenRevision: counter.describe("How often it has put another token, or removed it."),
    hasToken: z.boolean(),
    permission: Permission,
    consent: z.boolean(),
    capabilities: Capabilities,
    lastActiveAt: epochMs.min(1).nullable(),
    createdAt: epochMs,
  })
  .meta({ id: "Installation" });
export type Installation = z.infer<typeof Installation>;

export const InstallationAnswer = z.strictObject({ installation: Installation });

const installationId = text(128);
export const installationPath = z.object({ installationId });

export const BootstrapBody = z.strictObject({
  installationId: installationId
    .refine((id) => /^[A-Za-z0-9_-]*$/.test(id), "must be made of A-Z, a-z, 0-9, - and _")
    .meta({ pattern: "^[A-Za-z0-9_-]{1,128}$" }),
  appId: text(256).describe("Bundle id or package name."),
  platform: Platform,
  environment: Environment.describe("Of the push provider."),
  capability: installationCapability,
});

/** The fields of every change of an installation: its id, and the state for which it is meant. */
const guards = {
  requestId: text(128).describe("A new one for each change, the same one for its repeats."),
  bindingGeneration: counter,
  revision: counter,
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
  consent: z.boolean(),
  capabilities: Capabilities,
});
export const TokenBody = z.strictObject({
  ...guards,
  tokenRevision: counter,
  token: text(4_096).nullable(),
});
export const ActivityBody = z.strictObject(guards);
