import type { OperationId } from "@tidings/client";
import { useState } from "react";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { words } from "../words.ts";

/** As many of the newest changes of a project as are searched for the one that a person is told of. */
const SEARCHED = 100;

/**
 * Who has changed meanwhile what a person edits, and when, in a sentence. Changes of people alone are in the audit log: any other is by a
 * program or an agent.
 * @param operations that change it
 * @param target its id
 * @param isInSync whether the person edits what the server has, so that the newest change is one that they have seen
 */
export function useChangedBy(
  scope: string,
  operations: readonly OperationId[],
  target: string,
  isInSync: boolean,
): string {
  const { id } = useMe();
  const { data } = useOperation(scope, "listAuditEntries", {
    query: { operations: operations.join(","), limit: SEARCHED },
  });
  const newest = data?.entries.find((entry) => entry.target === target);
  const [seen, setSeen] = useState<number | null>(null);
  const at = newest?.id ?? 0;
  if (isInSync && data !== undefined && seen !== at) setSeen(at);
  if (data === undefined) return "";
  if (newest === undefined || newest.id === seen) return words.changedByProgram;
  const when = timeOf(newest.at);
  return newest.by.id === id ? words.changedByYou(when) : words.changedBy(newest.by.name, when);
}
