import type { Ctx } from "../../platform/http/endpoint.ts";
import { findUnknownTraits } from "../counting/rollups/public.ts";
import { readMailWay } from "../email/sending/public.ts";
import { readPushWay } from "../push/sending/public.ts";
import { reachOf } from "./rules.ts";
import type { Reach, Setup } from "./schema.ts";
import { readFound } from "./store.ts";

type At = Pick<Ctx, "app" | "db" | "projectId">;

/** The trait with the address that mail goes to. */
const ADDRESS = "email";

/** How far a project is put up, by a few rows however large it is. */
export async function readSetup(at: At): Promise<Omit<Setup, "evaluatedAt">> {
  const { app, db, projectId } = at;
  const { hasDevice, ...found } = await readFound(db, projectId);
  const mail = await readMailWay(app, db, projectId);
  const { unknown } = await findUnknownTraits(db, projectId, [ADDRESS]);
  const reach = reachOf({
    ...{
      hasPageView: found.hasPageView,
      hasUser: found.hasUser,
      hasDevice,
      hasAddress: !unknown.has(ADDRESS),
    },
    ...{ mail: mail?.way ?? null, push: await readPushWay(app, db, projectId) },
  });
  return { ...found, hasSender: mail?.isReady === true, reach };
}

/** What keeps all users from the messages of a project, by channel. */
export const readReach = async (at: At): Promise<Reach> => (await readSetup(at)).reach;
