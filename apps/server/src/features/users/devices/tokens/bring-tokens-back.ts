import { inTransaction } from "../../../../platform/db/db.ts";
import { projectLoop } from "../../../../platform/loops/project-loop.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { bringTokensBack, findMendedAcrossProjects } from "./ended-token-store.ts";

const AT_ONCE = 500;
/** docs/push.md promises half a minute. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;

/**
 * Brings tokens back that a provider refused while the credential may have been wrong, once another one was put in its place. What the
 * provider refuses again ends again, this time under a credential that works.
 */
export const bringTokensBackLoop = projectLoop({
  name: "bring tokens back",
  restMs: LOOK_AGAIN_MS,
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
