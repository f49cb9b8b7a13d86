import { z } from "zod";
import { type Ctx, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { epochMs, text } from "../../platform/http/contract/fields.ts";
import { NO_PROJECT } from "../../platform/http/contract/person.ts";
import { orInvalid } from "../../platform/settings/or-invalid.ts";
import { SettingConflict } from "./change.ts";
import type { SettingOwner } from "./store.ts";

/** The longest value of a setting, in characters. */
export const MAX_TYPED = 20_000;

export const settingValue = z
  .union([text(MAX_TYPED, 0), z.number(), z.boolean()])
  .nullable()
  .describe("The value; null where there is none. Of a secret, `set` in its place.");

const control = z.union([
  z.object({ kind: z.literal("flag").describe("Which kind it is of.") }),
  z.object({
    kind: z.literal("number").describe("Which kind it is of."),
    min: z.int().describe("The least."),
    max: z.int().describe("The most."),
  }),
  z.object({
    kind: z.literal("choice").describe("Which kind it is of."),
    choices: z.array(text(64)).max(20).describe("What there is to choose from."),
  }),
  z.object({ kind: z.literal("lines").describe("Which kind it is of.") }),
  z.object({ kind: z.literal("text").describe("Which kind it is of.") }),
]);

/** The author of the last change of a setting, and its instant. */
export const LastChange = z.object({
  by: text(256).describe("Who changed it."),
  at: epochMs.describe("When, in epoch milliseconds."),
});

export const ListedSetting = z
  .object({
    key: text(64).describe("Its name, as `tidings settings` takes it."),
    value: settingValue,
    isDefault: z.boolean().describe("Whether it was left, or set back to, its default."),
    fallback: settingValue.describe("The default."),
    isSecret: z.boolean().describe("Whether it is kept sealed, and never shown."),
    meaning: text(1_000).describe("What it is for, in a line."),
    control: control.describe("How its value is given."),
    lastChange: LastChange.nullable().describe("The last change; null where there was none."),
  })
  .meta({ id: "Setting" });

export const SettingChange = z
  .object({
    key: text(64).describe("The setting; `identity.secret` for the secret of user hashes."),
    before: settingValue.describe("What it was; null for the default."),
    after: settingValue.describe("What it became; null for the default."),
    by: text(256).describe("Who changed it."),
    at: epochMs.describe("When, in epoch milliseconds."),
  })
  .meta({ id: "SettingChange" });

/** Whose settings a person's request is about. */
export const ownerOf = (ctx: Ctx): SettingOwner =>
  ctx.projectId === NO_PROJECT
    ? { organizationId: personOf(ctx).organizationId }
    : { projectId: ctx.projectId };

/** A refused setting, as the refusal of a request. */
export const orApiError = <T>(act: Promise<T>): Promise<T> =>
  orInvalid(act).catch((cause: unknown) => {
    if (cause instanceof SettingConflict) throw new ApiError("conflict", cause.message);
    throw cause;
  });
