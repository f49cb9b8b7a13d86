import type { Push } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An object, or the one that a text spells; null for anything else. */
function fieldsOf(data: unknown): Fields | null {
  try {
    const value: unknown = typeof data === "string" ? JSON.parse(data) : data;
    return typeof value === "object" ? (value as Fields | null) : null;
  } catch {
    return null;
  }
}

function isPush(fields: Fields): boolean {
  const { version, targetId, attemptId, installationId, bindingGeneration, content } = fields;
  return (
    version === 1 &&
    [targetId, attemptId, installationId].every((id) => typeof id === "string") &&
    typeof bindingGeneration === "number" &&
    isContent(content)
  );
}

function isContent(content: unknown): boolean {
  const { title, body, destination, actions = [] } = (content ?? {}) as Fields;
  return (
    [title, body].every((text) => typeof text === "string") &&
    typeof destination === "object" &&
    destination !== null &&
    Array.isArray(actions)
  );
}

/**
 * Our part of what a provider gave the app; null where it is not from Tidings.
 * @param data the payload of APNs (`tidings` is an object), the `data` of FCM (`tidings` is JSON text), or that of a web push
 */
export function pushOf(data: unknown): Push | null {
  const fields = fieldsOf(fieldsOf(data)?.tidings);
  return fields !== null && isPush(fields) ? (fields as Push) : null;
}
