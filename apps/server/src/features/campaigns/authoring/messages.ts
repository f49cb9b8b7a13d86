import { setImmediate } from "node:timers/promises";
import { ApiError } from "../../../platform/http/errors.ts";
import { parseField } from "../../../platform/http/parse-field.ts";
import { EmailMessage } from "../../content/email/message.pure.ts";
import { PushContent, PushSettings } from "../../content/push/message.pure.ts";
import { WebMessage } from "./message.pure.ts";
import type { Channel, PushSettingsInput } from "./schema.ts";

/**
 * Reads a message in the shape of its channel. `at` is its place in the request. Parsing a long text takes tens of milliseconds, so other
 * requests get a turn between two messages. @throws ApiError that names the field
 */
export async function readMessage(
  channel: Channel,
  message: unknown,
  at: readonly PropertyKey[],
): Promise<WebMessage | EmailMessage | PushContent> {
  await setImmediate();
  switch (channel) {
    case "web_inapp":
      return parseField(WebMessage, message, at);
    case "email":
      return parseField(EmailMessage, message, at);
    case "push":
      return parseField(PushContent, message, at);
  }
}

/** The push settings of a request with defaults filled in; undefined where it has none. @throws ApiError for another channel */
export function readPushSettings(
  channel: Channel,
  push: PushSettingsInput | undefined,
): PushSettings | undefined {
  if (push === undefined) return undefined;
  if (channel !== "push")
    throw new ApiError("invalid_request", "push is for push campaigns only: leave it out");
  return PushSettings.parse(push);
}

/** The push settings of a new campaign. @throws ApiError for a push campaign without them, or another one with them */
export function newPushSettings(channel: Channel, push: PushSettingsInput | undefined): PushSettings | null {
  if (channel === "push" && push === undefined)
    throw new ApiError("invalid_request", "push is required for a push campaign: its app and devices");
  return readPushSettings(channel, push) ?? null;
}
