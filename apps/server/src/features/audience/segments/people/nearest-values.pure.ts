import { nearestNames } from "../../../../platform/text/nearest-name.ts";
import type { AudienceNode } from "../../language/schema.ts";

/** How many values are named. */
export const MOST_VALUES = 3;

/** The texts that a condition wants a trait to be, and the trait; null for any other condition. */
export function wantedTexts(node: AudienceNode): { trait: string; texts: string[] } | null {
  if (node.kind !== "field" || node.field.kind !== "trait") return null;
  const texts = node.op === "eq" ? [node.value] : node.op === "in" ? [...node.value] : [];
  const wanted = texts.filter((each) => typeof each === "string");
  return wanted.length === 0 ? null : { trait: node.field.key, texts: wanted };
}

/** The values of a trait that a condition may have meant: those spelled like it first, then those of most users. */
export function nearestValues(texts: readonly string[], known: readonly string[]): string[] {
  const near = texts.slice(0, MOST_VALUES).flatMap((text) => nearestNames(text, known));
  return [...new Set([...near, ...known])].slice(0, MOST_VALUES);
}
