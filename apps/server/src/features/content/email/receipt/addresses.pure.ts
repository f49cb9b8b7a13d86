import type { Token } from "marked";
import type { FilledField } from "../../template/receipt-text.pure.ts";
import type { Field, Template } from "../../template/template.pure.ts";
import { type Body, inside, targetOf, tokensOf } from "../html/markdown.pure.ts";
import { MAX_TARGET, readTarget, type Target, type TargetFault } from "../html/target.ts";

/** An address that is none: where it came from, and the end of a sentence about it. */
export type AddressFault = { path: string; message: string };

/** What the address at the beginning of a link is taken for before there are values. */
export const SKETCHED_ADDRESS = "https://example.com/";

type AddressOf = (field: FilledField) => string;
type Part = string | Field;

const isFilled = (part: Part | undefined): part is FilledField =>
  typeof part === "object" && "origin" in part && "path" in part;

const USER_FAULT = "must not begin a link: pages may set traits, so write out the host before it";

const faultText = (fault: TargetFault, kinds: string): string => {
  if (fault === "length") return `must lead to an address of at most ${MAX_TARGET} characters`;
  return fault === "host"
    ? `must begin with a host that is written out, and a / behind it, where other values follow`
    : `must be ${kinds} address`;
};

/** The value at the beginning of an address; null where it begins with text that is written out. */
const leadOf = ([first, second]: readonly Part[]): FilledField | null => {
  const lead = typeof first === "string" && first.trim() === "" ? second : first;
  return isFilled(lead) ? lead : null;
};

/** The address with the value at its beginning as if it were written out. */
function withLead(parts: readonly Part[], lead: FilledField, address: string): Part[] {
  const [next, ...others] = parts.slice(parts.indexOf(lead) + 1);
  if (next === undefined) return [address.trim()];
  return typeof next === "string" ? [address.trim() + next, ...others] : [address.trim(), next, ...others];
}

/**
 * Reads the address of a button, which a value of the data may begin. `sketched`: there are no values yet, and the beginning is taken for
 * an address.
 */
export function readReceiptTarget(template: Template, addressOf: AddressOf): Target | AddressFault {
  const lead = leadOf(template.parts);
  if (lead?.origin === "user") return { path: lead.path, message: USER_FAULT };
  const parts = lead === null ? template.parts : withLead(template.parts, lead, addressOf(lead));
  const target = readTarget(parts);
  const path = lead?.path ?? template.parts.find(isFilled)?.path ?? "data";
  if ("fault" in target) return { path, message: faultText(target.fault, "an http or https") };
  return target.kind === "web" ? target : { path, message: faultText("scheme", "an http or https") };
}

/**
 * Writes the values that begin links and images of a Markdown text into its tokens, as if they were written out. So it is the author of
 * the data who says where a link leads, and never a trait of the user. Any other fault of a link is left to `markdownFault`.
 */
export function writeLeads(body: Body, addressOf: AddressOf): AddressFault | null {
  const walk = (tokens: readonly Token[]): AddressFault | null => {
    for (const token of tokensOf(tokens)) {
      const lead =
        token.type === "link" || token.type === "image" ? leadOf(body.fields.read(token.href)) : null;
      if (lead?.origin === "user") return { path: lead.path, message: USER_FAULT };
      if (lead !== null && (token.type === "link" || token.type === "image")) {
        // Entities in an address are read as what they stand for, and this address has none.
        const parts = withLead(body.fields.read(token.href), lead, addressOf(lead).replaceAll("&", "&amp;"));
        token.href = parts
          .map((part) => (typeof part === "string" ? body.fields.text(part) : body.fields.put(part)))
          .join("");
        const target = targetOf(token, body.fields);
        const kinds = token.type === "image" ? "an http or https" : "an http, https or mailto";
        if ("fault" in target) return { path: lead.path, message: faultText(target.fault, kinds) };
        if (token.type === "image" && target.kind === "mail")
          return { path: lead.path, message: faultText("scheme", kinds) };
      }
      const fault = walk(inside(token));
      if (fault !== null) return fault;
    }
    return null;
  };
  return walk(body.tokens);
}
