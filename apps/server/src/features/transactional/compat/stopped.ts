import { clientOf } from "../../../platform/db/batch/client-of.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { addressRef, findReceiptsStopped } from "../../email/addresses/public.ts";

/** Which of some addresses the project sends no receipts to, because they bounced, complained or were stopped by hand. */
export async function stoppedAmong(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const refs = addresses.map((address) => ({
    address,
    ref: { projectId, ...addressRef(projectId, address) },
  }));
  const found = await findReceiptsStopped(
    clientOf(db),
    refs.map(({ ref }) => ref),
  );
  const keys = new Set(found.map(({ address_key }) => address_key));
  return new Set(refs.flatMap(({ address, ref }) => (keys.has(ref.addressKey) ? address : [])));
}
