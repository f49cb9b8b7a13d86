import type { App } from "../../../platform/runtime.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { guestIdOf } from "../../transactional/public.ts";
import { personOfUser } from "../../users/identities/public.ts";
import { findUsersByAddress, mergeUser } from "../../users/profiles/public.ts";

/** Has campaigns reach an address that its owner has confirmed, and that no user has: as the guest of this address. */
export async function makeReachable(
  app: App,
  projectId: string,
  address: string,
  now: number,
): Promise<void> {
  const found = await findUsersByAddress(app.database.kysely, projectId, [address.toLowerCase()]);
  if (found.size > 0) return;
  const period = (await activePeriods(app, projectId))(now);
  await mergeUser(
    { app, now, keyKind: "secret", isProven: () => true },
    {
      person: personOfUser(projectId, guestIdOf(address)),
      changes: { set: JSON.stringify({ email: address }), names: ["email"], removed: [] },
      firstSeenAt: null,
      period,
    },
  );
}
