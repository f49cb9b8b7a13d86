import { isObject, parsed } from "./plain.ts";

/** Shorter ones are placeholders that servers without keys are given, and would be found in any text. */
const LEAST_KEY = 8;
const IN_ITS_PLACE = "[key]";

/** Replaces a key in JSON that came from outside: in texts, names of fields, and JSON within texts (arguments of tools). */
export function redactor(key: string | null): (value: unknown) => unknown {
  if (key === null || key.length < LEAST_KEY) return (value) => value;
  const redactText = (text: string): string => {
    const redacted = text.replaceAll(key, IN_ITS_PLACE);
    // JSON within the text may spell the key with escapes.
    if (!redacted.includes("\\") || !redacted.trimStart().startsWith("{")) return redacted;
    const inner = parsed(redacted);
    if (!isObject(inner)) return redacted;
    const before = JSON.stringify(inner);
    return before.includes(key) ? before.replaceAll(key, IN_ITS_PLACE) : redacted;
  };
  const redact = (value: unknown): unknown => {
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [redactText(name), redact(each)]));
  };
  return redact;
}
