import { assess, type Facts } from "../launch/rules.ts";
import { MOST_COUNTED, MOST_NAMED } from "./schema.ts";

/** What is missing that only people can do about a draft, and that keeps nothing else from being done. */
const OF_PEOPLE = new Set(["manual", "approval"]);
/** What makes a launch pointless. */
const IS_OVER = new Set(["withdrawn", "expired"]);

/**
 * What a draft that announces changes waits for people to do: to allow that it launches by itself, or, where campaigns are launched by
 * people, to launch it once its changes are live. Null where it waits for something else.
 */
export function stepOf(facts: Facts): "approve" | "launch" | null {
  const { state, blockers } = assess(facts);
  if (state === "not_initial" || blockers.some(({ code }) => IS_OVER.has(code))) return null;
  if (facts.mode === "automatic") return facts.isApproved ? null : "approve";
  return blockers.every(({ code }) => OF_PEOPLE.has(code)) ? "launch" : null;
}

/** Things of one kind as the answer names them: how many, and the first few. */
export const kindOf = <Row, Item>(rows: readonly Row[], toItem: (row: Row) => Item, count = rows.length) => ({
  count: Math.min(count, MOST_COUNTED),
  items: rows.slice(0, MOST_NAMED).map(toItem),
});
