import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { isAncestor } from "../git/public.ts";
import type { Looked } from "../registry/public.ts";
import { listRefs, putHead, reconnect } from "./ref-store.ts";

const BRANCH = "branch";

/** Writes where the branch of a source stands after a look, so that its new commits become work. Only managed deployments have source work. */
export async function trackHeads(app: App, looked: Looked, signal: AbortSignal): Promise<void> {
  const { projectId, sourceId, generation, tipSha: headSha, mirror } = looked;
  if (app.config.mode !== "managed" || headSha === null) return;
  const { kysely } = app.database;
  const known = (await listRefs(kysely, projectId, sourceId)).find(({ refKey }) => refKey === BRANCH);
  const isAnother = known !== undefined && known.generation < generation;
  // With another address or branch it goes on only where that is a continuation of what was there.
  if (isAnother && (await isAncestor(mirror, known.cursorSha, headSha, signal)) !== true)
    await reconnect(kysely, projectId, known.id, { generation, headSha });
  const now = app.clock();
  const where = { projectId, sourceId, id: newUuid(now), now };
  await putHead(kysely, where, { refKey: BRANCH, generation, headSha, connectedAt: headSha });
}
