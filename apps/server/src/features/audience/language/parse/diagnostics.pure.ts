import { cutAfter } from "@tidings/client/text";
import { type Diagnostic, MAX_DEPTH, MAX_NODES } from "../schema.ts";

/** Codes of errors and warnings about an expression. They never change, since programs depend on them. docs/audiences.md explains each. */
export const DIAGNOSTIC_CODES = [
  "invalid_expression",
  "unsupported_version",
  "invalid_node",
  "unknown_kind",
  "unknown_key",
  "missing_key",
  "empty_group",
  "empty_list",
  "too_many_items",
  "too_many_nodes",
  "too_deep",
  "unknown_field",
  "field_not_allowed",
  "unknown_operator",
  "operator_not_allowed",
  "unexpected_value",
  "invalid_value",
  "invalid_text",
  "invalid_count",
  "invalid_window",
  "unknown_campaign",
  "unobserved_trait",
  "unobserved_event",
  "unobserved_property",
  "zero_matches",
] as const;
export type DiagnosticCode = (typeof DIAGNOSTIC_CODES)[number];

/** A place in the input, from its root. */
export type Path = readonly (string | number)[];

/** The most diagnostics of one expression: more than a reader takes in, so reading the tree stops there. */
export const MAX_DIAGNOSTICS = 20;
const SHOWN_LENGTH = 80;

/** A path as a JSON pointer (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** A text as a message quotes it, cut when it is long. */
export const quoteText = (value: string): string => JSON.stringify(cutAfter(value, SHOWN_LENGTH));

/** Collects what is wrong with an expression while it is read, and counts its nodes. */
export class Faults {
  readonly found: Diagnostic[] = [];
  #nodes = 0;
  #overflowed = false;

  /** Whether reading may stop, because there are diagnostics enough. */
  get isFull(): boolean {
    return this.#overflowed || this.found.length >= MAX_DIAGNOSTICS;
  }

  /** Adds a diagnostic. Answers undefined, so that a reading function can return the call. */
  add(code: DiagnosticCode, path: Path, message: string, suggestions: readonly string[] = []): undefined {
    if (this.found.length >= MAX_DIAGNOSTICS) return;
    this.found.push({
      severity: "error",
      code,
      path: pointer(path),
      message,
      ...(suggestions.length === 0 ? {} : { suggestions: [...suggestions] }),
    });
  }

  /** Counts one more node; false when it is one too many or lies too deep, or when there are diagnostics enough. */
  enter(path: Path, depth: number): boolean {
    if (this.isFull) return false;
    this.#nodes++;
    if (this.#nodes > MAX_NODES) {
      this.#overflowed = true;
      this.add("too_many_nodes", path, `An expression has at most ${MAX_NODES} nodes, \`where\` included.`);
      return false;
    }
    if (depth > MAX_DEPTH) {
      this.add("too_deep", path, `An expression is at most ${MAX_DEPTH} nodes deep.`);
      return false;
    }
    return true;
  }
}
