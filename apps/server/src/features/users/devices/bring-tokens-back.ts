import { SECOND_MS } from "../../../platform/clock.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import { bringTokensBack, findMendedAcrossProjects } from "./ended-token-store.ts";

const AT_ONCE = 500;

/**
 * Brings tokens back that a provider refused while the credential may have been wrong, once another one was put in its place. What the
 * provider refuses again ends again, this time under a credential that works.
 */
export const bringTokensBackLoop = projectLoop({
  name: "bring tokens back",
  restMs: 2 * SECOND_MS,
  find: (app) => findMendedAcrossProjects(app.database.kysely),
  async turn({ database }, projectId, mended) {
    let looked = 0;
    for (const { credentialId, revision } of mended)
      looked += await inTransaction(database.hotPool, (client) =>
        bringTokensBack(client, { projectId, credentialId, revision, limit: AT_ONCE }),
      );
    return looked > 0;
  },
});
