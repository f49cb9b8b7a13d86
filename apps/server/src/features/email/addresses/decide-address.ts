import { type Ctx, personOf } from "../../../platform/http/contract/endpoint.ts";
import { addressRef } from "./address-ref.ts";
import { decideSuppression } from "./decide.ts";
import { SuppressedBy } from "./schema.ts";

/** Suppresses or allows an address because the person who asks decided so. */
export async function decideAddress(ctx: Ctx, address: string, verdict: "suppress" | "allow") {
  const { db, projectId, now } = ctx;
  const by = personOf(ctx).name;
  const decided = await decideSuppression(db, projectId, address, verdict, { by, at: now });
  const before = decided.before === null ? null : SuppressedBy.parse(decided.before);
  // The audit log outlives the erasure of a user, so it names the address by its key alone.
  ctx.describe({
    target: addressRef(projectId, address).addressKey,
    before: { suppressed: before },
    after: { suppressed: verdict === "suppress" ? "manual" : null },
  });
  return { address, before, changed: decided.changed };
}
