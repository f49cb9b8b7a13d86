import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { readSome } from "../../settings/public.ts";
import { hasCommits, isAncestor, mergeBase } from "../git/public.ts";
import { type Looked, listPulls } from "../registry/public.ts";
import { type KnownRef, listRefs, putHead, reconnect } from "./ref-store.ts";
import { isTaken } from "./rules.ts";
import { draftSettings } from "./settings.pure.ts";

const BRANCH = "branch";

/** Where refs of one source are looked up. */
type Heads = {
  app: App;
  looked: Looked;
  tipSha: string;
  refs: ReadonlyMap<string, KnownRef>;
  signal: AbortSignal;
};

async function put(
  { app, looked }: Heads,
  refKey: string,
  headSha: string,
  connectedAt: string,
): Promise<void> {
  const { projectId, sourceId, generation } = looked;
  const now = app.clock();
  const where = { projectId, sourceId, id: newUuid(now), now };
  await putHead(app.database.kysely, where, { refKey, generation, headSha, connectedAt });
}

async function trackBranch(heads: Heads): Promise<void> {
  const { app, looked, tipSha: headSha, refs, signal } = heads;
  const { projectId, generation, mirror } = looked;
  const known = refs.get(BRANCH);
  const isAnother = known !== undefined && known.generation < generation;
  // With another address or branch it goes on only where that is a continuation of what was there.
  if (isAnother && (await isAncestor(mirror, known.cursorSha, headSha, signal)) !== true)
    await reconnect(app.database.kysely, projectId, known.id, { generation, headSha });
  await put(heads, BRANCH, headSha, headSha);
}

/** Where a pull request parted from its branch, or the branch where git cannot tell. */
const partedAt = async ({ looked, tipSha, signal }: Heads, sha: string): Promise<string> =>
  (await mergeBase(looked.mirror, sha, tipSha, signal)) ?? tipSha;

/**
 * Pull requests that are ready are work of their own: all that they bring is news. What becomes of one that was merged is seen on the branch; one
 * that was closed, or is a draft again, brings nothing any more. One that the project does not take keeps what it brought, and brings no more.
 */
async function trackPulls(heads: Heads): Promise<void> {
  const { app, looked, refs } = heads;
  const [pulls, settings] = await Promise.all([
    listPulls(app.database.kysely, looked.projectId, looked),
    readSome(app.database.kysely, looked.projectId, draftSettings, [
      "drafts.pullRequests",
      "drafts.pullRequestLabel",
    ]),
  ]);
  const open = pulls.filter((pull) => pull.state === "open" && isTaken(pull, settings));
  const present = await hasCommits(
    looked.mirror,
    open.map(({ headSha }) => headSha),
  );
  for (const pull of pulls) {
    const { number, state, headSha } = pull;
    const refKey = `pr:${number}`;
    const known = refs.get(refKey);
    if (open.includes(pull)) {
      if (!present.has(headSha)) continue;
      const connectedAt = known?.cursorSha ?? (await partedAt(heads, headSha));
      await put(heads, refKey, headSha, connectedAt);
    } else if (known !== undefined && (known.isStanding || known.headSha !== known.cursorSha)) {
      const { cursorSha } = known;
      await put(
        heads,
        refKey,
        ["merged", "open"].includes(state) ? cursorSha : await partedAt(heads, cursorSha),
        cursorSha,
      );
    }
  }
}

/** Writes where the refs of a source stand after a look, so that what is new becomes work. Only managed deployments have source work. */
export async function trackHeads(app: App, looked: Looked, signal: AbortSignal): Promise<void> {
  const { projectId, sourceId, tipSha } = looked;
  if (app.config.mode !== "managed" || tipSha === null) return;
  const rows = await listRefs(app.database.kysely, projectId, sourceId);
  const heads = { app, looked, tipSha, refs: new Map(rows.map((row) => [row.refKey, row])), signal };
  await trackBranch(heads);
  await trackPulls(heads);
}
