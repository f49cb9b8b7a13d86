import { hash } from "node:crypto";
import type { InstallationRef } from "../../../domain/ids.ts";
import type { Tx } from "../../../platform/db/db.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { authenticateInstallation } from "./authenticate.ts";
import { findAcknowledged, readAcknowledgements, writeChange } from "./change-store.ts";
import { asAcknowledged, guardFault, type InstallationChange, type State } from "./rules.ts";
import type { Guards, Installation } from "./schema.ts";
import { type InstallationRow, lockInstallation, toInstallation, toState } from "./store.ts";

/** A device's request. `body` is as its schema parses it: a strict object, whose keys are always in the schema's order. */
export type ChangeRequest = {
  params: { installationId: string };
  capability: string;
  body: Guards & { tokenRevision?: number };
};

/** What the request does to the installation. */
export type ChangeEffects = {
  apply: InstallationChange;
  /** Takes the locks that come before that of the installation. */
  before?: (tx: Tx) => Promise<unknown>;
  /** Writes other tables, once it is clear that the change applies. */
  beside?: (tx: Tx, ref: InstallationRef, state: State) => Promise<void>;
};

/** The answer of an earlier request, for a repeat of it. @throws ApiError conflict when the repeat is another request. */
async function repeat(
  tx: Tx,
  ref: InstallationRef,
  row: InstallationRow,
  known: { revision: number; digest: Buffer },
  digest: Buffer,
): Promise<Installation> {
  if (!known.digest.equals(digest)) throw new ApiError("conflict", "requestId was used for another request");
  const [first, ...later] = await readAcknowledgements(tx, row.projectId, ref, known.revision);
  if (first === undefined) throw new Error("An acknowledgement went while its installation was held.");
  return asAcknowledged(toInstallation(row), [first, ...later]);
}

/**
 * Changes an installation for its device, in one transaction, or repeats the answer of an earlier request with the same `requestId`. Of
 * changes with the same guards, the first one wins.
 * @param operation operation id: the same body means something else to another operation
 * @throws ApiError not_found for a wrong capability, conflict for a stale guard or another body
 */
export async function changeInstallation(
  ctx: Ctx,
  operation: string,
  { params: { installationId }, capability, body }: ChangeRequest,
  { apply, before, beside }: ChangeEffects,
): Promise<{ installation: Installation }> {
  const { projectId } = ctx;
  const { requestId } = body;
  const { ref } = await authenticateInstallation(ctx, installationId, capability);
  const digest = hash("sha256", `${operation}\n${JSON.stringify(body)}`, "buffer");
  return ctx.db.transaction().execute(async (tx) => {
    await before?.(tx);
    await lockInstallation(tx, projectId, ref);
    const { row } = await authenticateInstallation({ ...ctx, db: tx }, installationId, capability);
    const known = await findAcknowledged(tx, projectId, ref, requestId);
    if (known !== null) return { installation: await repeat(tx, ref, row, known, digest) };
    const state = toState(row);
    const fault = guardFault(state, body);
    if (fault !== null) throw new ApiError("conflict", fault);
    const next = { ...apply(state), revision: state.revision + 1 };
    await beside?.(tx, ref, state);
    const changed = await writeChange(tx, projectId, ref, next, { requestId, digest });
    if (changed === null) throw new Error("An installation was changed while it was held.");
    return { installation: toInstallation({ ...changed, hasToken: next.token !== null }) };
  });
}
