import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { explainIssue } from "../../../../platform/http/contract/explain-issue.ts";
import { parseField } from "../../../../platform/http/contract/parse-field.ts";
import { EmailMessage } from "../../../content/email/message.pure.ts";
import { ReceiptMessage } from "../../../content/email/receipt/message.pure.ts";
import { PushContent, PushSettings } from "../../../content/push/message.pure.ts";
import type { Channel, MessageKind, PushSettingsInput } from "../schema.ts";
import { WebMessage } from "./message.pure.ts";
import { hasOverride, type MessageText, messageTexts } from "./texts.pure.ts";

const OVERRIDE_FAULT =
  "must not have characters that reverse how it is read (U+202A to U+202E, U+2066 to U+2069); the marks U+200E, U+200F and U+061C may stand in it";

/** @throws ApiError for a message with a text that must not be in it, with its place */
function refuseText(
  kind: MessageKind,
  message: unknown,
  at: readonly PropertyKey[],
  isFaulty: (text: MessageText) => boolean,
  why: string,
): void {
  const found = messageTexts(kind, message).find(isFaulty);
  if (found === undefined) return;
  const fault = new z.ZodError([{ code: "custom", path: [found.field], message: why, input: found.text }]);
  throw new ApiError("invalid_request", explainIssue(fault, "body", at));
}

/** @throws ApiError for a text that reads otherwise than it is written, so that no person and no guardrail would see what it says */
const refuseOverrides = (kind: MessageKind, message: unknown, at: readonly PropertyKey[]): void =>
  refuseText(kind, message, at, hasOverride, OVERRIDE_FAULT);

/** A personal field that names the event which let a user into a journey. */
const OF_EVENT = /\{\{\s*event\s*[.[]/;
const EVENT_FAULT =
  "must not have a field of event, such as {{ event.plan }}: only messages of journeys know the event that let their user in";

/** @throws ApiError for a text of a campaign that is no step of a journey, and names the event of one */
export function refuseEvents(kind: MessageKind, message: unknown, at: readonly PropertyKey[]): void {
  refuseText(kind, message, at, ({ text }) => OF_EVENT.test(text), EVENT_FAULT);
}

type Message = WebMessage | EmailMessage | PushContent | ReceiptMessage;

function parseMessage(kind: MessageKind, message: unknown, at: readonly PropertyKey[]): Message {
  switch (kind) {
    case "web_inapp":
      return parseField(WebMessage, message, at);
    case "email":
      return parseField(EmailMessage, message, at);
    case "receipt":
      return parseField(ReceiptMessage, message, at);
    case "push":
      return parseField(PushContent, message, at);
  }
}

/**
 * Reads a message in the shape of its kind. `at` is its place in the request. Parsing a long text takes tens of milliseconds, so other
 * requests get a turn between two messages. @throws ApiError that names the field
 */
export async function readMessage(
  kind: MessageKind,
  message: unknown,
  at: readonly PropertyKey[],
): Promise<Message> {
  await setImmediate();
  const read = parseMessage(kind, message, at);
  refuseOverrides(kind, read, at);
  return read;
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
