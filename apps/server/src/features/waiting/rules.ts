import { MOST_COUNTED, MOST_NAMED } from "./schema.ts";

/** Things of one kind as the answer names them: how many, and the first few. */
export const kindOf = <Row, Item>(rows: readonly Row[], toItem: (row: Row) => Item, count = rows.length) => ({
  count: Math.min(count, MOST_COUNTED),
  items: rows.slice(0, MOST_NAMED).map(toItem),
});
