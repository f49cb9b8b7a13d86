import { faultAt, inWords } from "../../../platform/faults.ts";
import { GUARDRAIL_KINDS, GUARDRAILS } from "../../../ui/guardrails/kinds.ts";
import { guardrailName } from "../../../ui/guardrails/names.ts";
import { words } from "../words.ts";

/** What the server says of a goal, with the name that its field has in the form. */
export function namedFault(fault: string): string {
  for (const key of GUARDRAILS) {
    const found = faultAt(fault, `guardrails.${key}`);
    if (found === undefined) continue;
    const shown = GUARDRAIL_KINDS[key] === "percent" ? words.asShare(found) : found;
    return words.faultAt(guardrailName(key), shown);
  }
  for (const [name, label] of Object.entries(words.fields)) {
    const found = faultAt(fault, name);
    if (found !== undefined) return words.faultAt(label, found);
  }
  return inWords(fault);
}
