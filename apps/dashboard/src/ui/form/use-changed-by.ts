import type { OperationId } from "@tidings/client";
import { useState } from "react";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { words } from "../words.ts";

/** As many of the newest changes of a project as are searched for the one that a person reads of. */
const SEARCHED = 100;

/** The newest change that has made a revision; null where it is not known yet. `since`: when the page came to edit it, epoch ms. */
type Seen = { revision: string; since: number; id: number | null };

/**
 * Says who has changed meanwhile what a person edits, and when, in a sentence. Changes of people alone are in the audit log: any other is by a
 * program or an agent.
 * @param operations that change it
 * @param target its id
 * @param revision of what the person edits
 * @param isInSync whether the server has the same, as far as it is known here
 */
export function useChangedBy(
  scope: string,
  operations: readonly OperationId[],
  target: string,
  { revision, isInSync }: { revision: string; isInSync: boolean },
): string {
  const { id } = useMe();
  const { data, dataUpdatedAt } = useOperation(scope, "listAuditEntries", {
    query: { operations: operations.join(","), limit: SEARCHED },
  });
  const newest = data?.entries.find((entry) => entry.target === target);
  const [seen, setSeen] = useState<Seen>(() => ({ revision, since: Date.now(), id: null }));
  // Whatever makes another revision here has read the log anew before.
  if (seen.revision !== revision)
    setSeen({ revision, since: 0, id: data === undefined ? null : (newest?.id ?? 0) });
  // Of the first revision the first answer says it. A later one may know of the next change before the page does.
  else if (isInSync && seen.id === null && data !== undefined && dataUpdatedAt >= seen.since)
    setSeen({ ...seen, id: newest?.id ?? 0 });
  if (data === undefined) return "";
  if (newest === undefined || newest.id === seen.id) return words.changedByProgram;
  const when = timeOf(newest.at);
  return newest.by.id === id ? words.changedByYou(when) : words.changedBy(newest.by.name, when);
}
