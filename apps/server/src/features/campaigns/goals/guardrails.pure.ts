import { readInstant } from "../../../platform/http/contract/instants.ts";
import { HOSTS_RULE, parseHosts } from "../../access/perimeter/hosts.pure.ts";
import { isPhrase } from "./phrases.pure.ts";

/** The limits of a goal that are enforced; what is undefined has no limit. `quietUntil` is epoch milliseconds. */
export type Guardrails = {
  maxActiveCampaigns?: number;
  forbiddenPhrases?: readonly string[];
  /** As `parseHosts` spells them. */
  allowedHosts?: readonly string[];
  maxUnsubscribeRate?: number;
  maxComplaintRate?: number;
  minConversionRate?: number;
  minControlShare?: number;
  quietUntil?: number;
  errorBudget?: number;
};

type Fault = { fault: string };
const refuse = (fault: string): Fault => ({ fault });

const isNumber = (value: unknown, min: number, max: number): value is number =>
  typeof value === "number" && value >= min && value <= max;

const numberFrom = (min: number, max: number) => (value: unknown) =>
  isNumber(value, min, max) ? value : refuse(`must be a number from ${min} to ${max}`);

const MAX_CAMPAIGNS = 1_000;
const MAX_PHRASES = 50;
const MAX_PHRASE = 80;

const wholeNumber = (value: unknown) =>
  isNumber(value, 0, MAX_CAMPAIGNS) && Number.isInteger(value)
    ? value
    : refuse(`must be a whole number from 0 to ${MAX_CAMPAIGNS}`);

const isRightPhrase = (value: unknown): value is string =>
  typeof value === "string" && [...value].length <= MAX_PHRASE && isPhrase(value);

function phrases(value: unknown): readonly string[] | Fault {
  const rule = `must be a list of 1 to ${MAX_PHRASES} phrases of 1 to ${MAX_PHRASE} characters that can be seen`;
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PHRASES) return refuse(rule);
  const right = value.filter(isRightPhrase);
  return right.length === value.length ? right : refuse(rule);
}

function hosts(value: unknown): readonly string[] | Fault {
  const isList =
    Array.isArray(value) && value.every((each) => typeof each === "string" && !/[\s,]/.test(each));
  return (
    (isList ? parseHosts(value.join(",")) : null) ??
    refuse(HOSTS_RULE.replace("with commas between", "in a list"))
  );
}

function instantOf(value: unknown): number | Fault {
  const read = readInstant(value);
  return "ms" in read ? read.ms : refuse(read.fault);
}

const fraction = numberFrom(0, 1);

/** How each guardrail that means something is read. */
const READERS = {
  maxActiveCampaigns: wholeNumber,
  forbiddenPhrases: phrases,
  allowedHosts: hosts,
  maxUnsubscribeRate: fraction,
  maxComplaintRate: fraction,
  minConversionRate: fraction,
  minControlShare: fraction,
  quietUntil: instantOf,
  errorBudget: numberFrom(0.001, 0.5),
} as const satisfies Record<keyof Guardrails, (value: unknown) => unknown>;

export type Guardrail = keyof typeof READERS;
export const GUARDRAILS = Object.keys(READERS) as readonly Guardrail[];

const hasFault = (read: unknown): read is Fault =>
  typeof read === "object" && read !== null && "fault" in read;

/** A guardrail that cannot be read. `message` is the end of a sentence about it. */
export type GuardrailFault = { guardrail: string; message: string };

type Stored = Readonly<Record<string, unknown>> | null;

/** The limits among the stored guardrails of a goal that can be read, and the first that cannot: it was stored before they were checked. */
export function readEachGuardrail(stored: Stored): { limits: Guardrails; fault: GuardrailFault | null } {
  const limits: Record<string, unknown> = {};
  let fault: GuardrailFault | null = null;
  for (const guardrail of GUARDRAILS) {
    const value = stored?.[guardrail];
    if (value === undefined) continue;
    const read = READERS[guardrail](value);
    if (hasFault(read)) fault ??= { guardrail, message: read.fault };
    else limits[guardrail] = read;
  }
  // Each was read by its own reader.
  return { limits: limits as Guardrails, fault };
}

/** The limits among the stored guardrails of a goal, or the first that cannot be read, for callers that must not go on without one of them. */
export function readGuardrails(stored: Stored): { limits: Guardrails } | { fault: GuardrailFault } {
  const { limits, fault } = readEachGuardrail(stored);
  return fault === null ? { limits } : { fault };
}

/** Why the guardrails of a request are refused, or null. Keys that mean nothing here are free. */
export function guardrailsFault(given: Readonly<Record<string, unknown>>): GuardrailFault | null {
  const read = readGuardrails(given);
  if ("fault" in read) return read.fault;
  const { minimumLift } = given;
  const isRight =
    minimumLift === undefined || (isNumber(minimumLift, 0, 1) && minimumLift > 0 && minimumLift < 1);
  return isRight ? null : { guardrail: "minimumLift", message: "must be a number over 0 and under 1" };
}

/** The control's part of the weights. */
export function controlShare(variants: readonly { weight: number; isControl: boolean }[]): number {
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  return (variants.find(({ isControl }) => isControl)?.weight ?? 0) / sum;
}
