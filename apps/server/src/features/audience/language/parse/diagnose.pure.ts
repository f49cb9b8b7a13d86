import { nearestNames } from "../../../../platform/text/nearest-name.ts";
import { visitLeaves } from "../rules.ts";
import type { AudienceExpression, Diagnostic, EventNode } from "../schema.ts";
import { type DiagnosticCode, type Path, pointer, quoteText } from "./diagnostics.pure.ts";

/** The names of traits that a project's users have, and of events that they did. */
export type Vocabulary = {
  traits: ReadonlySet<string>;
  /** By event name: its properties; complete for the events that the expression names. */
  events: ReadonlyMap<string, ReadonlySet<string>>;
};

/** The most names for which similar ones are looked up: each look-up takes milliseconds, and readers need few of them. */
const MAX_LOOKED_UP = 5;

/** A trait that is named somewhere, and where. */
export type NamedTrait = { path: Path; name: string };

/** A name without a user who has it, and the known names among which the intended one may be. */
type Unobserved = {
  code: DiagnosticCode;
  path: Path;
  what: string;
  name: string;
  known: () => Iterable<string>;
};

function warn({ code, path, what, name, known }: Unobserved, index: number): Diagnostic {
  const suggestions = index < MAX_LOOKED_UP ? nearestNames(name, known()) : [];
  return {
    severity: "warning",
    code,
    path: pointer(path),
    message: `No ${what} ${quoteText(name)} was seen so far.`,
    ...(suggestions.length === 0 ? {} : { suggestions }),
  };
}

function ofProperties(node: EventNode, path: Path, known: ReadonlySet<string>): Unobserved[] {
  return (node.where ?? []).flatMap(({ field: { key } }, index) =>
    known.has(key)
      ? []
      : [
          {
            code: "unobserved_property",
            path: [...path, "where", index, "field", "key"],
            what: `property of ${quoteText(node.event)} named`,
            name: key,
            known: () => known,
          },
        ],
  );
}

/** Warnings of traits that no user has. For the first few names they suggest the ones that were likely meant. */
export function warnOfTraits(named: readonly NamedTrait[], known: Iterable<string>): Diagnostic[] {
  const first = new Map<string, Diagnostic>();
  return named.map(({ path, name }) => {
    const unobserved: Unobserved = {
      code: "unobserved_trait",
      path,
      what: "trait",
      name,
      known: () => known,
    };
    const warning = first.get(name) ?? warn(unobserved, first.size);
    first.set(name, warning);
    return { ...warning, path: pointer(path) };
  });
}

/**
 * Warnings of a valid expression with names of traits, events or properties that no user has, which are likely typing errors. The first
 * few suggest the names that were likely meant.
 */
export function diagnose(expression: AudienceExpression, vocabulary: Vocabulary): Diagnostic[] {
  const found: Unobserved[] = [];
  visitLeaves(expression.root, (leaf, path) => {
    if (leaf.kind === "event") {
      const properties = vocabulary.events.get(leaf.event);
      if (properties !== undefined) found.push(...ofProperties(leaf, path, properties));
      else {
        const known = () => vocabulary.events.keys();
        const at = [...path, "event"];
        found.push({ code: "unobserved_event", path: at, what: "event", name: leaf.event, known });
      }
    } else if (
      leaf.kind === "field" &&
      leaf.field.kind === "trait" &&
      !vocabulary.traits.has(leaf.field.key)
    ) {
      const known = () => vocabulary.traits;
      const at = [...path, "field", "key"];
      found.push({ code: "unobserved_trait", path: at, what: "trait", name: leaf.field.key, known });
    }
  });
  return found.map(warn);
}
