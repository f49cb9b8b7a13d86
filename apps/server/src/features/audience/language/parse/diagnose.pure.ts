import { nearestNames } from "../../../../platform/nearest-name.ts";
import { visitLeaves } from "../rules.ts";
import type { AudienceExpression, Diagnostic, EventNode } from "../schema.ts";
import { type DiagnosticCode, type Path, pointer, shown } from "./diagnostics.pure.ts";

/** The names that a project's users have ever shown. */
export type Vocabulary = {
  traits: ReadonlySet<string>;
  /** By event name: the properties it came with; complete for those that the expression names. */
  events: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Names for which near ones are looked up: each costs milliseconds, and nobody reads many of them. */
const MAX_LOOKED_UP = 5;

/** A trait that is named somewhere, and where. */
export type NamedTrait = { path: Path; name: string };

/** A name that nobody has shown, and those among which the one that was meant may be. */
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
    message: `No ${what} ${shown(name)} was seen so far.`,
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
            what: `property of ${shown(node.event)} named`,
            name: key,
            known: () => known,
          },
        ],
  );
}

/** Warnings of traits that nobody has shown. Of the first few names they say which ones were likely meant. */
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
 * Warnings of an expression that is valid, but names what nobody has shown: likely a slip of the pen. The first few say which names
 * were likely meant.
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
    } else if (leaf.field.kind === "trait" && !vocabulary.traits.has(leaf.field.key)) {
      const known = () => vocabulary.traits;
      const at = [...path, "field", "key"];
      found.push({ code: "unobserved_trait", path: at, what: "trait", name: leaf.field.key, known });
    }
  });
  return found.map(warn);
}
