import { cutAfter } from "@tidings/client/text";
import { printable } from "../../../platform/cli/command.ts";
import type { ProposalReview } from "../../agent/evaluations/schema.ts";

/** A value of a change for a person: short, and on one line. */
export function shown(value: unknown): string {
  const text = printable(
    typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "none"),
  );
  return cutAfter(text, 200);
}

/** What users read of a message, each text on a line of its own that begins with `lead`. */
export const readAs = (lead: string, texts: ProposalReview["rendered"][number]["after"]): string[] =>
  texts.map(({ field, text }) => `  ${lead}, ${field}: ${shown(text)}`);
