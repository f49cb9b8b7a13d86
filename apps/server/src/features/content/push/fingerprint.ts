import { hash } from "node:crypto";
import type { PushContent, PushSettings } from "./message.pure.ts";

/** JSON in which the keys of every object are in order: the same value always has the same text (RFC 8785, 3.2.3). */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** SHA-256 of a campaign's content and settings, in 64 hexadecimal digits: it changes when the campaign says something else or goes elsewhere. */
export const fingerprint = (content: PushContent, settings: PushSettings): string =>
  hash("sha256", sortedJson({ content, settings }));
