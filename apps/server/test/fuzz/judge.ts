import { z } from "zod";
import type { Described } from "./document.ts";
import type { Edit } from "./draft.ts";
import type { Answered } from "./wire.ts";

/** What is wrong with an answer. `kind` and `about` tell one fault from another. */
export type Fault = { kind: string; about: string; says: string };

/** Refusals of a body that is none: there is no field to name. */
const OF_THE_WHOLE =
  /^(body must be (valid JSON|a JSON object|UTF-8|multipart)|body must not be nested deeper|body must change at least one of|body must be left out|Content-Type must be|The path is not valid)/;
const INSIDE = /\bat .+:\d+:\d+|node_modules|\bselect\b.+\bfrom\b|SQLSTATE|violates .+ constraint/i;

/** Fields whose value decides what others have to be, so that a refusal rightly names one of those. */
const DECIDES: ReadonlyMap<string, readonly string[]> = new Map([
  ["channel", ["message", "variants", "push"]],
  ["platform", ["credential.provider"]],
  // Without a boundary there are no parts.
  ["content-type", ["file"]],
]);

/** A field and what encloses it. Refusals of an audience begin at its expression, wherever that stands. */
function enclosing({ name, part }: Edit): string[] {
  const parts = name.split(/(?=[.[])/);
  const own = parts.map((_, index) => parts.slice(0, index + 1).join(""));
  const inExpression = own.flatMap((each) => each.match(/(?<=\.)expression\b.*/) ?? []);
  if (own[0] === "audience") inExpression.push("expression");
  return [...own, ...inExpression, ...(part === "path" ? ["path"] : [])];
}

/** `expression/root/children/0` as `expression.root.children[0]`. */
const plainly = (error: string): string =>
  error
    .replace(/\/(\d+)(?=[\s/:]|$)/g, "[$1]")
    .replace(/(?<=[\w\]])\/(?=\w)/g, ".")
    .toLowerCase();

/** Whether a text says this name, not only a longer word that it is part of. */
function says(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? " ", text[at + name.length] ?? " "];
    if (!/\w/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}

/** Whether a refusal names the field that was changed, or one that encloses it. */
export function names(error: string, edit: Edit): boolean {
  if (edit.name === "" || OF_THE_WHOLE.test(error)) return true;
  // Refusals cut off what is long, be it a name or themselves.
  const [begun = ""] = error.split("…");
  if (begun !== error && edit.name.startsWith(begun)) return true;
  const fields = enclosing(edit);
  const decided = DECIDES.get(fields[0] ?? "") ?? [];
  return [...fields, ...decided].some((field) => says(plainly(error), field.toLowerCase()));
}

const Refusal = z.looseObject({ error: z.string() });
/** Of an operation that answers for each of several things. */
const Results = z.object({ results: z.array(z.union([z.object({ ok: z.literal(true) }), Refusal])) });

/** What is refused in an answer; empty where nothing is. */
function refusals(status: number, text: string): string[] {
  const body: unknown = text === "" ? null : JSON.parse(text);
  if (status >= 400) return [Refusal.parse(body).error];
  const { data } = Results.safeParse(body);
  // An item is refused by its own fields; the lists that operations take are called so.
  return (data?.results ?? []).flatMap((each) => ("error" in each ? `events, users: ${each.error}` : []));
}

/** An error without what the sender put into it, so that alike faults are reported once. */
const template = (error: string): string => error.replace(/[\d"'].*/s, "…").slice(0, 80);

const place = ({ part, name }: Edit): string => `${part} ${name.replace(/\[\d+\]/g, "[]")}`.slice(0, 100);

/**
 * What an answer to a mutated request must not be, or null.
 * @param body the JSON of the request as a reader of JSON takes it; undefined where that has none
 */
export function judge(
  operation: Described,
  edits: readonly Edit[],
  answer: Answered,
  body: unknown,
): Fault | null {
  const { status, text } = answer;
  const changed = edits.map(place).join(" + ");
  if (status >= 500) return { kind: `answers ${status}`, about: changed, says: text };
  if (!operation.statuses.has(status))
    return { kind: `answers ${status}, which it does not declare`, about: edits[0]?.part ?? "", says: text };
  if (answer.requestId === "") return { kind: "has no X-Request-Id", about: String(status), says: text };
  if (status === 200 && operation.files.has(answer.contentType.replace(/;.*/s, ""))) return null;
  if (text !== "" && !answer.contentType.startsWith("application/json"))
    return { kind: "is not application/json", about: answer.contentType, says: text };
  const wrong = operation.wrongAnswer(status, text);
  // Such a path leads to no operation, so its refusal has the shape that most have.
  if (wrong !== null && !text.includes("The path is not valid percent-encoding."))
    return {
      kind: `answers ${status} in another shape than declared`,
      about: wrong,
      says: `${wrong}: ${text}`,
    };
  const errors = refusals(status, text);
  if (errors.length === 0) {
    // A known usage report is answered with what is stored, before its calls are read.
    const isReplay = text.includes('"replayed":true');
    const isAllowed = body === undefined || isReplay || operation.allows(body);
    return isAllowed
      ? null
      : { kind: "accepts what the document does not allow", about: changed, says: text };
  }
  const [error = ""] = errors;
  if (INSIDE.test(error)) return { kind: "shows its inside", about: template(error), says: error };
  if (![401, 403, 404, 409, 413].includes(status) && !edits.some((edit) => names(error, edit)))
    return { kind: "names another field", about: `${changed}: ${template(error)}`, says: error };
  return null;
}
