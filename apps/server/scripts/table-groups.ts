import type { TablePlacement } from "../src/domain/tables.ts";
import { tables } from "../src/features.ts";

const GROUPS: readonly ((lies: TablePlacement) => boolean)[] = [
  (lies) => lies === "userKey",
  (lies) => lies.endsWith("Key") && lies !== "userKey",
  (lies) => lies === "counter",
  (lies) => lies === "reference",
  (lies) => lies === "local",
];

/** The tables by where they lie: a list for each row of the table in docs/self-hosting.md, in its order. */
export const tableGroups: readonly string[][] = GROUPS.map((isMeant) =>
  tables.flatMap(({ name, lies }) => (isMeant(lies) ? name : [])),
);
