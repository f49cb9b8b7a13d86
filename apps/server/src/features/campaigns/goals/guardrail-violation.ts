import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { GuardrailFault } from "./guardrails.pure.ts";

/**
 * What a guardrail allows and what there is instead. `field` names the text that contains a forbidden `phrase`, or the link that leads to
 * a `host` that is not allowed.
 */
export type Violation = {
  guardrail: string;
  limit: number | null;
  observed: number | null;
  field?: string;
  phrase?: string;
  host?: string;
};

/** A refusal by a guardrail of the campaign's goal. Body: `{error, reason, guardrail, limit, observed, field?, phrase?, host?}`. */
export class GuardrailViolation extends ApiError {
  readonly violation: Violation;

  constructor(message: string, violation: Violation) {
    super("conflict", message, { fields: { reason: "guardrail_violated", ...violation } });
    this.violation = violation;
  }
}

/** The refusal of whatever a guardrail that cannot be read would have to allow. */
export const unreadable = ({ guardrail, message }: GuardrailFault): GuardrailViolation =>
  new GuardrailViolation(`The goal's guardrails.${guardrail} ${message}: change the goal first.`, {
    guardrail,
    limit: null,
    observed: null,
  });

/** The further fields of such a refusal, for the document. */
export const violationFields = {
  guardrail: { type: "string", maxLength: 64, description: "The guardrail of the goal that refuses." },
  limit: {
    type: ["number", "null"],
    description: "What it allows; null where the goal's value cannot be read. Of phrases and hosts: 0.",
  },
  observed: {
    type: ["number", "null"],
    description:
      "What there would be instead. Of phrases: texts that contain one; of hosts: links to others.",
  },
  field: {
    type: "string",
    maxLength: 128,
    description:
      "The text that contains a forbidden phrase, or the link to a host that is not allowed, such as `variants[0].message.body`.",
  },
  phrase: { type: "string", maxLength: 80, description: "The forbidden phrase, as the goal has it." },
  host: {
    type: "string",
    maxLength: 256,
    description: "Where the link leads: a host, or the scheme of an app such as `acmeapp:`.",
  },
} as const;
