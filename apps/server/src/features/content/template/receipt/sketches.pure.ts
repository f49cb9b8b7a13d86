import type { FilledField } from "./fill.pure.ts";
import type { ReceiptNode } from "./nodes.pure.ts";

/** How many of the branches of a choice are looked at: each sketch of a long text takes some tens of milliseconds. */
const MAX_SKETCHES = 4;

type Alternatives = readonly (readonly ReceiptNode[])[];

function alternativesOf(node: ReceiptNode): Alternatives {
  if (node.kind === "choice") return [...node.branches.map(({ nodes }) => nodes), node.otherwise];
  if (node.kind !== "loop") return [];
  return node.loop.otherwise.length === 0 ? [node.loop.nodes] : [node.loop.nodes, node.loop.otherwise];
}

const widestOf = (nodes: readonly ReceiptNode[]): number =>
  nodes.reduce((most, node) => {
    const alternatives = alternativesOf(node);
    return Math.max(most, alternatives.length, ...alternatives.map(widestOf));
  }, 1);

function sketch(nodes: readonly ReceiptNode[], number: number): (string | FilledField)[] {
  return nodes.flatMap((node): (string | FilledField)[] => {
    if (node.kind === "text") return [node.text];
    if (node.kind === "output") {
      const { source, place } = node.output;
      return [{ source, from: "user", trait: "", fallback: "", filters: null, ...place }];
    }
    const alternatives = alternativesOf(node);
    return sketch(alternatives[Math.min(number, alternatives.length - 1)] ?? [], number);
  });
}

function joined(parts: readonly (string | FilledField)[]): (string | FilledField)[] {
  const whole: (string | FilledField)[] = [];
  for (const part of parts) {
    const before = whole.at(-1);
    if (typeof part === "string" && typeof before === "string") whole[whole.length - 1] = before + part;
    else whole.push(part);
  }
  return whole;
}

/**
 * What a text may come to, with one round of each loop and without values: first with the first branch of every choice, then with the
 * second one, up to four. So most faults of its Markdown are seen before there are values.
 */
export const sketchNodes = (nodes: readonly ReceiptNode[]): (string | FilledField)[][] =>
  Array.from({ length: Math.min(widestOf(nodes), MAX_SKETCHES) }, (_, number) =>
    joined(sketch(nodes, number)),
  );
