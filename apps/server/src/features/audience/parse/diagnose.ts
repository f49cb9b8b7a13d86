import { visitLeaves } from "../rules.ts";
import type { AudienceExpression, Diagnostic, EventNode } from "../schema.ts";
import { type DiagnosticCode, type Path, pointer, shown } from "./diagnostics.ts";
import { nearest } from "./suggest.ts";

/** The names that a project's users have ever shown. */
export type Vocabulary = {
  traits: ReadonlySet<string>;
  /** By event name: the properties it came with. */
  events: ReadonlyMap<string, ReadonlySet<string>>;
};

function unobserved(
  code: DiagnosticCode,
  path: Path,
  what: string,
  name: string,
  known: Iterable<string>,
): Diagnostic {
  const suggestions = nearest(name, known);
  return {
    severity: "warning",
    code,
    path: pointer(path),
    message: `No ${what} ${shown(name)} was seen so far.`,
    ...(suggestions.length === 0 ? {} : { suggestions }),
  };
}

function ofProperties(node: EventNode, path: Path, known: ReadonlySet<string>): Diagnostic[] {
  return (node.where ?? []).flatMap(({ field: { key } }, index) =>
    known.has(key)
      ? []
      : [
          unobserved(
            "unobserved_property",
            [...path, "where", index, "field", "key"],
            `property of ${shown(node.event)} named`,
            key,
            known,
          ),
        ],
  );
}

/** Warnings of an expression that is valid, but names what nobody has shown: likely a slip of the pen. */
export function diagnose(expression: AudienceExpression, vocabulary: Vocabulary): Diagnostic[] {
  const found: Diagnostic[] = [];
  visitLeaves(expression.root, (leaf, path) => {
    if (leaf.kind === "event") {
      const properties = vocabulary.events.get(leaf.event);
      if (properties !== undefined) found.push(...ofProperties(leaf, path, properties));
      else {
        const known = vocabulary.events.keys();
        found.push(unobserved("unobserved_event", [...path, "event"], "event", leaf.event, known));
      }
    } else if (leaf.field.kind === "trait" && !vocabulary.traits.has(leaf.field.key)) {
      const at = [...path, "field", "key"];
      found.push(unobserved("unobserved_trait", at, "trait", leaf.field.key, vocabulary.traits));
    }
  });
  return found;
}
