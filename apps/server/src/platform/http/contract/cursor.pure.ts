const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a part of a cursor is a key. */
export const isKey = (part: unknown): part is string => typeof part === "string" && UUID.test(part);

/** Whether a part of a cursor is an instant. */
export const isInstant = (part: unknown): part is number => Number.isSafeInteger(part);
