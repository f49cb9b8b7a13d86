import { type AuditedAct, auditedActs } from "../../platform/http/audit.ts";
import type { App } from "../../platform/runtime.ts";

/** All that entries can tell of. */
export const allActs = (app: App): readonly AuditedAct[] => app.askAll(auditedActs).flat();

/** What the target of an operation's entries is; an id where the operation is not known any more. */
export function targetsIn(acts: readonly AuditedAct[]): (operation: string) => AuditedAct["target"] {
  const targets = new Map(acts.map(({ operation, target }) => [operation, target]));
  return (operation) => targets.get(operation) ?? "id";
}
