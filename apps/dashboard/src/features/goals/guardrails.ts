import { instantOf, localTimeOf } from "../../platform/times.ts";
import { parseTypedJson } from "../../platform/typed-json.ts";
import {
  GUARDRAIL_KINDS,
  GUARDRAILS,
  type Guardrail,
  type GuardrailKind,
  isGuardrail,
} from "../../ui/guardrails/kinds.ts";

type Stored = Readonly<Record<string, unknown>>;

/** Guardrails as a person writes them: a text for each field, empty for no limit, and all other keys as JSON, empty for none. */
export type GuardrailTexts = { limits: Readonly<Record<Guardrail, string>>; others: string };

const DIGITS = 12;
const HUNDRED = 100;
/** A product without the dust of binary fractions: 0.07 times 100 is 7. */
const exactly = (value: number): number => Number(value.toPrecision(DIGITS));

function textOf(kind: GuardrailKind, value: unknown): string {
  if (value === undefined) return "";
  if (kind === "count" && typeof value === "number") return String(value);
  if (kind === "percent" && typeof value === "number") return String(exactly(value * HUNDRED));
  if (kind === "phrases" && Array.isArray(value)) return value.join("\n");
  if (kind === "instant" && (typeof value === "number" || typeof value === "string"))
    return localTimeOf(new Date(value).getTime());
  // A value of before they were checked: it is shown as it is, and the server says what is wrong with it.
  return JSON.stringify(value);
}

/** What a text means; one that means nothing goes as it is, so that the server says what it has to be. */
function meantBy(kind: GuardrailKind, text: string): unknown {
  const number = Number(text);
  if (kind === "count") return Number.isNaN(number) ? text : number;
  if (kind === "percent") return Number.isNaN(number) ? text : exactly(number / HUNDRED);
  if (kind === "instant") return instantOf(text) ?? text;
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export function fieldsOf(stored: Stored | null): GuardrailTexts {
  const limits = Object.fromEntries(
    GUARDRAILS.map((key) => [key, textOf(GUARDRAIL_KINDS[key], stored?.[key])]),
  );
  const others = Object.entries(stored ?? {}).filter(([key]) => !isGuardrail(key));
  return {
    // There is one entry for each guardrail.
    limits: limits as Record<Guardrail, string>,
    others: others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others), null, 2),
  };
}

/** The other keys that a text says, or why it says none. */
export function othersOf(text: string): { others: Stored } | { fault: "json" | "object" | Guardrail } {
  if (text.trim() === "") return { others: {} };
  let read: unknown;
  try {
    read = parseTypedJson(text);
  } catch {
    return { fault: "json" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return { fault: "object" };
  const own = Object.keys(read).find(isGuardrail);
  return own === undefined ? { others: read as Stored } : { fault: own };
}

/** One key of what is stored as a form changes it: what was not changed stays as it is stored now. */
function changed(key: string, now: Stored, before: unknown, after: unknown): [string, unknown][] {
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  const value = isSame ? now[key] : after;
  return value === undefined ? [] : [[key, value]];
}

/**
 * The guardrails to store: what a person changed since `base`, and all else as it is now, so that what another person has changed
 * meanwhile, and what no field shows, is never lost. Null for none. @returns null in `guardrails` for none; `fault` where the other keys
 * cannot be read
 */
export function guardrailsFrom(
  fields: GuardrailTexts,
  base: Stored | null,
  now: Stored | null,
): { guardrails: Stored | null } | { fault: "json" | "object" | Guardrail } {
  const read = othersOf(fields.others);
  if ("fault" in read) return read;
  const { limits: before } = fieldsOf(base);
  const limits = GUARDRAILS.flatMap((key) => {
    const text = fields.limits[key];
    if (text === before[key]) return changed(key, now ?? {}, null, null);
    return text.trim() === "" ? [] : [[key, meantBy(GUARDRAIL_KINDS[key], text.trim())] as [string, unknown]];
  });
  const names = new Set([...Object.keys(base ?? {}), ...Object.keys(now ?? {}), ...Object.keys(read.others)]);
  const others = [...names]
    .filter((key) => !isGuardrail(key))
    .flatMap((key) => changed(key, now ?? {}, base?.[key], read.others[key]));
  const all = [...limits, ...others];
  return { guardrails: all.length === 0 ? null : Object.fromEntries(all) };
}
