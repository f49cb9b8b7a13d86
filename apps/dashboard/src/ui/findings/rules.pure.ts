import type { Answer } from "@tidings/client";
import { FIELD_NAMES } from "../../platform/field-names.ts";
import { words } from "./words.ts";

export type Warning = { path: string; message: string; suggestions?: string[] };
export type FieldGap = Answer<"takeCampaignCensus">["missing"][number];

/** The text of a message that a warning is about: the place of its variant, and its field, such as `cta.label`; null for neither. */
export function warningPlace(path: string): { variant: number; field: string } | null {
  const [, variant, field] = /^\/variants\/(\d+)\/content\/(.+)$/.exec(path) ?? [];
  return variant === undefined || field === undefined
    ? null
    : { variant: Number(variant), field: field.replaceAll("/", ".") };
}

/** What the form calls a field of a message. */
export function fieldName(field: string): string {
  const [, nth] = /^actions\.(\d+)\.title$/.exec(field) ?? [];
  if (nth !== undefined) return words.nthButton(Number(nth) + 1);
  return FIELD_NAMES[field] ?? field;
}

/** A warning with the names that were likely meant. */
export const warningText = ({ message, suggestions = [] }: Omit<Warning, "path">): string =>
  suggestions.length === 0 ? message : `${message} ${words.meant(suggestions)}`;

/** A field as people speak of it: `first_name`, `favourite colour`. */
export function traitName(field: string): string {
  const [, quoted] = /^user\[(".*")\]$/.exec(field) ?? [];
  if (quoted === undefined) return field.replace(/^user\./, "");
  try {
    return String(JSON.parse(quoted));
  } catch {
    // A name that is too long to be shown whole.
    return quoted;
  }
}
