import type { Db } from "../../../platform/db/db.ts";
import { theOrganization } from "../../access/public.ts";
import { hasMembersAcrossProjects } from "../store.ts";
import { makeLink } from "./links.ts";

/**
 * A link with which the first person comes in, who runs the server and owns all projects. Null where there are people: they invite the
 * others.
 * @param origin address of the dashboard, without a trailing slash
 */
export function firstLink(db: Db, origin: string, now: number): Promise<string | null> {
  return db.transaction().execute(async (tx) => {
    if (await hasMembersAcrossProjects(tx)) return null;
    const organizationId = await theOrganization(tx, now);
    const { link } = await makeLink(
      tx,
      { kind: "first" },
      { origin, organizationId, now, madeBy: "the server", madeById: null },
    );
    return link;
  });
}
