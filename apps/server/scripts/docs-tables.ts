import { toolsOf } from "../src/features/mcp/tools.ts";
import { endpoints } from "../src/features.ts";
import { defaultBudgets } from "../src/platform/http/budgets/budget.ts";

/** A table of a page of the docs, whose rows are derived. The columns find it. */
type DocsTable = { page: string; columns: readonly string[]; rows: readonly (readonly string[])[] };

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

export const docsTables: readonly DocsTable[] = [budgets, toolTable()];

const rowOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

/** A page with the rows of now in its table. @throws Error where the page has no table with these columns */
export function withTable(text: string, { page, columns, rows }: DocsTable): string {
  const head = `\n${rowOf(columns)}|${"---|".repeat(columns.length)}\n`;
  const [before = "", after] = text.split(head);
  if (after === undefined) throw new Error(`${page} has no table with the columns ${columns.join(", ")}.`);
  return `${before}${head}${rows.map(rowOf).join("")}${after.replace(/^(?:\|.*\n)*/, "")}`;
}
