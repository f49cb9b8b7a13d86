import { counted } from "@tidings/client/text";
import type { z } from "zod";
import { shortName, unknownFieldRule } from "./closed.ts";

type Issue = z.core.$ZodIssue;

/** zod's message for a union that has no message of its own. */
const NO_RULE = "Invalid input";
/** How zod's message begins where no branch of a union has the value by which they are recognized. */
const NO_BRANCH = "Invalid discriminator value";

/** A field as refusals name it: `variants[0].name`. */
export const fieldName = (path: readonly PropertyKey[], root: string): string => {
  const name = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return name === "" ? root : name;
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: "an integer",
  object: "an object",
  record: "an object",
  array: "a list",
  boolean: "true or false",
};

const list = (values: readonly unknown[]): string => values.map(String).join(", ");

const amount = (origin: string, limit: number | bigint): string => {
  if (origin === "string") return counted(Number(limit), "character");
  if (origin === "array") return counted(Number(limit), "entry", "entries");
  return String(limit);
};

/** The rule that was broken, as the end of a sentence: `must be at most 80 characters`. */
function rule(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return `must be ${TYPE_NAMES[issue.expected] ?? `a ${issue.expected}`}`;
    case "too_big":
      return `must be at most ${amount(issue.origin, issue.maximum)}`;
    case "too_small":
      return `must be at least ${amount(issue.origin, issue.minimum)}`;
    case "invalid_value":
      if (issue.input === undefined) return "is required";
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${list(issue.values)}`;
    case "custom":
      return issue.message;
    case "invalid_format":
      // A schema that states no rule of its own has a message of the library, which shows the pattern.
      return issue.message.startsWith("must ") ? issue.message : "is not valid";
    default:
      return "is not valid";
  }
}

const isMismatch = ({ code }: Issue): boolean => code === "invalid_type" || code === "invalid_value";

/** The issue to report first. An unknown field is often the misspelled name of a missing one, so it comes first. */
const leading = (issues: readonly Issue[]): Issue | undefined =>
  issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];

/** Whether the input is of another kind than this branch of a union. */
const isOfAnotherKind = (branch: readonly Issue[]): boolean =>
  branch.some(
    (issue) => issue.code === "invalid_value" && issue.path.length === 1 && issue.input !== undefined,
  );

/** Where no branch of a union has the value by which they are recognized, and the union has no message of its own: which values there are. */
function tellingApart(issue: z.core.$ZodIssueInvalidUnion): Issue | null {
  const { discriminator, options } = issue as { discriminator?: string; options?: readonly unknown[] };
  if (discriminator === undefined || options === undefined || !issue.message.startsWith(NO_BRANCH))
    return null;
  const { input, path, message } = issue;
  const given = typeof input === "object" && input !== null ? Reflect.get(input, discriminator) : undefined;
  return { path, message, code: "invalid_value", values: [...options], input: given } as Issue;
}

/**
 * The issue worth showing. In a union it comes from the branch that is closest to the input: the one with the deepest issue, then one
 * whose type fits. Where no branch fits, a union's own message is shown.
 */
function deepest(issue: Issue): Issue {
  if (issue.code !== "invalid_union") return issue;
  const unmatched = tellingApart(issue);
  if (unmatched !== null) return unmatched;
  if (issue.input === undefined) return { ...issue, code: "invalid_type", expected: "object" } as Issue;
  const meant = issue.errors.filter((branch) => !isOfAnotherKind(branch));
  const branches = (meant.length > 0 ? meant : issue.errors)
    .map((branch) => leading(branch))
    .filter((first) => first !== undefined);
  const [best] = branches.toSorted(
    (a, b) => b.path.length - a.path.length || Number(isMismatch(a)) - Number(isMismatch(b)),
  );
  if (best === undefined) return issue.message === NO_RULE ? issue : { ...issue, code: "custom", params: {} };
  if (best.path.length === 0 && isMismatch(best) && issue.message !== NO_RULE)
    return { ...issue, code: "custom", params: {} };
  return deepest({ ...best, path: [...issue.path, ...best.path] });
}

/**
 * One line that names the field and the rule: `variants[0].name must be at most 40 characters`, or
 * `targetting: unknown field, did you mean targeting?`.
 * Schemas state their own rules as the end of that sentence ("must be …").
 * @param at where in the request the value stands that was parsed
 */
export function explainIssue(error: z.ZodError, root: string, at: readonly PropertyKey[] = []): string {
  const first = leading(error.issues);
  if (first === undefined) return "Invalid request";
  const issue = deepest(first);
  const path = [...at, ...issue.path];
  if (path.length === 0 && issue.code === "invalid_type") return `${root} must be a JSON object`;
  if (issue.code === "unrecognized_keys")
    return `${fieldName([...path, shortName(issue.keys[0] ?? "")], root)}: ${unknownFieldRule(issue.message)}`;
  return `${fieldName(path, root)} ${rule(issue)}`;
}
