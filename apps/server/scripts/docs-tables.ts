import type { TablePlacement } from "../src/domain/tables.ts";
import type { AnyGate } from "../src/features/deliveries/gates/gate.ts";
import { GATES, UNREACHABLE } from "../src/features/eligibility/schema.ts";
import { emailGates } from "../src/features/email/sending/gates/email-gates.ts";
import { toolsOf } from "../src/features/mcp/tools.ts";
import { pushGates } from "../src/features/push/sending/gates/push-gates.ts";
import { webGates } from "../src/features/web/gates/web-gates.ts";
import { WEBHOOK_TYPES } from "../src/features/webhooks/types.pure.ts";
import { checks, endpoints, tables } from "../src/features.ts";
import { defaultBudgets } from "../src/platform/http/budgets/budget.ts";

type Row = readonly string[];

/** A table of a page of the docs, whose rows are derived. The columns find it. */
type DocsTable = { page: string; columns: Row; rows: readonly Row[] };

/** Names in an order that changes only where they do. */
const listed = (names: readonly string[]): string =>
  names
    .toSorted()
    .map((name) => `\`${name}\``)
    .join(", ");

/** A row for each budget, with the operations that count in it. */
const budgets: DocsTable = {
  page: "docs/running.md",
  columns: ["budget", "operations"],
  rows: Object.keys(defaultBudgets).map((budget) => [
    `\`${budget}\``,
    listed(endpoints.flatMap(({ spec }) => (spec.budget === budget ? spec.id : []))),
  ]),
};

/** A row for each group of operations that has tools: those that only read, those that add, and those that may overwrite something. */
function toolTable(): DocsTable {
  const groups = Map.groupBy(toolsOf(endpoints), ({ endpoint }) => endpoint.spec.tag);
  const kinds = (group: ReturnType<typeof toolsOf>) =>
    Map.groupBy(group, ({ isWrite, description: { annotations } }) => {
      if (!isWrite) return "reads";
      return annotations?.destructiveHint === true ? "overwrites" : "adds";
    });
  return {
    page: "docs/mcp.md",
    columns: ["group", "only read", "add something", "may overwrite something (`destructiveHint`)"],
    rows: [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([tag, group]) => {
        const found = kinds(group);
        const namesOf = (kind: "reads" | "adds" | "overwrites") =>
          listed((found.get(kind) ?? []).map(({ description }) => description.name));
        return [tag, namesOf("reads"), namesOf("adds"), namesOf("overwrites")];
      }),
  };
}

/** A row for each check of the doctor, by the invariant that it proves. */
const checkTable: DocsTable = {
  page: "docs/self-hosting.md",
  columns: ["invariant", "check", "compares"],
  rows: checks
    .toSorted((a, b) => a.invariant - b.invariant)
    .map(({ invariant, name, compares }) => [String(invariant), name, compares]),
};

const PLACES: readonly (readonly [where: string, (lies: TablePlacement) => boolean])[] = [
  ["by user: a row or more for each, keyed by `lane`, `user_key`", (lies) => lies === "userKey"],
  [
    "by a key of their own, made alike: device, token, address, message",
    (lies) => lies.endsWith("Key") && lies !== "userKey",
  ],
  ["counters and deltas, by lane", (lies) => lies === "counter"],
  ["on every machine: what people make, and rollups", (lies) => lies === "reference"],
  ["on one machine: what no statement over lanes needs", (lies) => lies === "local"],
];

/** A row for each place where tables lie on a cluster. */
const placeTable: DocsTable = {
  page: "docs/self-hosting.md",
  columns: ["where", "tables"],
  rows: PLACES.map(([where, isMeant]) => [
    where,
    tables.flatMap(({ name, lies }) => (isMeant(lies) ? `\`${name}\`` : [])).join(", "),
  ]),
};

const CHANNELS: readonly (readonly [name: string, gates: readonly AnyGate[]])[] = [
  ["web", webGates],
  ["email", emailGates],
  ["push", pushGates],
];

/** The names of all gates in an order that is that of each channel: a name stands behind the one before it in its own channel. */
function gateNames(): string[] {
  const names: string[] = [];
  for (const [, gates] of CHANNELS.toReversed()) {
    // A gate that is listed twice has the place where a plan asks it, which is the last.
    const own = gates.map(({ gate }) => gate).filter((name, at, all) => all.lastIndexOf(name) === at);
    for (const [at, name] of own.entries())
      if (!names.includes(name)) names.splice(names.indexOf(own[at - 1] ?? "") + 1, 0, name);
  }
  return names;
}

/** The channels with a gate that meets a condition, in words. */
function channelsWith(isMeant: (gate: AnyGate) => boolean): string {
  const found = CHANNELS.flatMap(([name, gates]) => (gates.some(isMeant) ? [name] : []));
  return found.length === CHANNELS.length ? "all" : found.join(", ");
}

/** A row for each gate, with what it asks. */
const gateTable: DocsTable = {
  page: "docs/eligibility.md",
  columns: ["gate", "channels", "what it asks"],
  rows: gateNames().map((name) => [
    `\`${name}\``,
    channelsWith(({ gate }) => gate === name),
    GATES.find(({ gate }) => gate === name)?.asks ?? "",
  ]),
};

/** A row for each reason why a user cannot be reached. */
const reasonTable: DocsTable = {
  page: "docs/eligibility.md",
  columns: ["reason", "channel", "why the user cannot be reached"],
  rows: UNREACHABLE.map((reason) => [
    `\`${reason}\``,
    channelsWith(({ reasons }) => reasons.includes(reason)),
    GATES.map(({ meanings }: AnyGate) => meanings[reason]).find((meaning) => meaning !== undefined) ?? "",
  ]),
};

/** A row for each type that webhooks subscribe to. */
const webhookTypeTable: DocsTable = {
  page: "docs/webhooks.md",
  columns: ["type", "what happened"],
  rows: Object.entries(WEBHOOK_TYPES).map(([type, sentence]) => [`\`${type}\``, sentence]),
};

export const docsTables: readonly DocsTable[] = [
  budgets,
  toolTable(),
  checkTable,
  placeTable,
  gateTable,
  reasonTable,
  webhookTypeTable,
];

const rowOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

/** A page with the rows of now in its table. @throws Error where the page has no table with these columns */
export function withTable(text: string, { page, columns, rows }: DocsTable): string {
  const head = `\n${rowOf(columns)}|${"---|".repeat(columns.length)}\n`;
  const [before = "", after] = text.split(head);
  if (after === undefined) throw new Error(`${page} has no table with the columns ${columns.join(", ")}.`);
  return `${before}${head}${rows.map(rowOf).join("")}${after.replace(/^(?:\|.*\n)*/, "")}`;
}
