import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processes } from "../../../../platform/loops/processes.ts";
import { type App, type Port, port, resource } from "../../../../platform/runtime.ts";
import { SealError } from "../../../../platform/secrets/secrets.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import {
  fetchCommits,
  fetchMirror,
  hasCommits,
  keepCommits,
  type Mirror,
  openMirror,
  readTips,
} from "../../git/public.ts";
import { dateBack, insertDeployment, listFollowed } from "../deployments/deployment-store.ts";
import { EVERY_MS, stateAfterFailure } from "../rules.ts";
import { listMappings, type MappingRow, type SourceRow, writeFetched } from "../store.ts";
import { claimSource, listWantedCommits, releaseSource } from "./look-store.ts";
import { pollGithub } from "./poll-github.ts";
import { mirrorFolder, mirrorsOf, mirrorsOfProject, remoteOf } from "./remote.ts";

/** A source whose mirror was brought up to date. */
export type Looked = {
  projectId: string;
  sourceId: string;
  generation: number;
  fetchRevision: number;
  /** The tip of its branch. */
  tipSha: string | null;
  mirror: Mirror;
};

/** Called for each source that was looked at, while this process has its lease, in the order of the features. */
export const sourceLooked: Port<(app: App, looked: Looked, signal: AbortSignal) => Promise<void>> =
  port("source looked");

/** What a fetch found: the tips of the branch and of refs that mappings follow; or why it failed. */
type Found =
  | { ok: true; mirror: Mirror; tips: ReadonlyMap<string, string>; tipSha: string; hasMoved: boolean }
  | { ok: false; reason: string; detail: string };

const branchRef = ({ branch }: SourceRow): string => `refs/heads/${branch}`;

/** Removes the mirrors of repositories that the source was before. */
async function removeFormer({ config }: App, source: SourceRow): Promise<void> {
  const folder = mirrorsOf(config, source);
  const kept = basename(mirrorFolder(config, source));
  for (const name of await readdir(folder).catch(() => []))
    if (name !== kept) await rm(join(folder, name), { recursive: true, force: true });
}

async function fetchSource(
  app: App,
  source: SourceRow,
  mappings: readonly MappingRow[],
  signal: AbortSignal,
): Promise<Found> {
  const remote = remoteOf(app.config, app.secrets, source);
  const follows = mappings.flatMap((mapping) => mapping.follows ?? []);
  const read = await readTips(remote, { refs: [branchRef(source), ...follows], signal });
  if (!read.ok) return read;
  const tipSha = read.tips.get(branchRef(source));
  if (tipSha === undefined)
    return { ok: false, reason: "branch_missing", detail: `There is no branch ${source.branch}.` };
  const polled =
    source.kind === "github"
      ? await pollGithub(app, source, mappings, signal)
      : { ok: true as const, hasChanged: false };
  if (!polled.ok) return polled;
  await removeFormer(app, source);
  const { projectId } = source;
  const opened = await openMirror(mirrorFolder(app.config, source), { signal, owner: projectId });
  if (!opened.ok) return opened;
  const { mirror } = opened;
  const wanted = await listWantedCommits(app.database.kysely, projectId, source.id);
  const all = [...new Set([...read.tips.values(), ...wanted])];
  const before = await hasCommits(mirror, all);
  const { sourcesMaxMb: maxMegabytes, sourcesProjectMaxMb } = app.config;
  const room = { folder: mirrorsOfProject(app.config, projectId), maxMegabytes: sourcesProjectMaxMb };
  const fetching = { maxMegabytes, room, signal };
  const hasAll = all.every((sha) => before.has(sha));
  if (!hasAll || source.tipSha !== tipSha) {
    const fetched = await fetchMirror(mirror, remote, fetching);
    if (!fetched.ok) return fetched;
  }
  const missing = wanted.filter((sha) => !before.has(sha));
  const inMirror = missing.length === 0 ? before : await hasCommits(mirror, all);
  const stillMissing = missing.filter((sha) => !inMirror.has(sha));
  // Commits of branches that are gone, or that were never on one that is fetched: hosts may have them still.
  if (stillMissing.length > 0) await fetchCommits(mirror, remote, stillMissing, fetching);
  const after = stillMissing.length === 0 ? inMirror : await hasCommits(mirror, all);
  await keepCommits(
    mirror,
    wanted.filter((sha) => after.has(sha)),
  );
  const hasMoved = polled.hasChanged || source.tipSha !== tipSha || missing.some((sha) => after.has(sha));
  return { ok: true, mirror, tips: read.tips, tipSha, hasMoved };
}

/** Records the tips of followed refs as deployments, where they moved since the last look. */
async function followRefs(
  app: App,
  { projectId, id: sourceId }: SourceRow,
  mappings: readonly MappingRow[],
  tips: ReadonlyMap<string, string>,
): Promise<void> {
  const { kysely } = app.database;
  const followed = await listFollowed(kysely, projectId, sourceId);
  for (const { environment, follows } of mappings) {
    const sha = follows === null ? undefined : tips.get(follows);
    if (follows === null || sha === undefined || followed.get(environment) === sha) continue;
    const now = app.clock();
    await dateBack(kysely, { projectId, sourceId, environment }, now);
    await insertDeployment(kysely, {
      id: newUuid(now),
      projectId,
      sourceId,
      environment,
      sha,
      status: "success",
      provider: "ref",
      deploymentKey: `${follows}@${now}`,
      deployedAt: now,
      reportedAt: now,
      url: null,
      label: follows,
    });
  }
}

/** What became of a look: the source as it is now, or why it could not be read. */
type Look = { ok: true; looked: Looked } | { ok: false; reason: string };

/** A process that ends, or a source that was changed while it was looked at. */
const CUT_OFF: Look = { ok: false, reason: "unavailable" };

async function look(app: App, source: SourceRow, signal: AbortSignal): Promise<Look> {
  const { projectId, id: sourceId, generation } = source;
  const { kysely } = app.database;
  const mappings = await listMappings(kysely, projectId, sourceId);
  const found = await fetchSource(app, source, mappings, signal).catch((cause: unknown): Found => {
    if (cause instanceof SealError) return { ok: false, reason: "auth", detail: cause.message };
    throw cause;
  });
  if (signal.aborted) return CUT_OFF;
  if (!found.ok) {
    const { reason, detail } = found;
    app.log.warn({ projectId, sourceId, reason, detail }, "a source was not fetched");
    await writeFetched(kysely, projectId, source, stateAfterFailure(source, reason));
    return { ok: false, reason };
  }
  const { mirror, tips, tipSha, hasMoved } = found;
  const fetchRevision = await writeFetched(kysely, projectId, source, {
    state: "ok",
    reason: null,
    failures: 0,
    tipSha,
    hasMoved,
    fetchedAt: app.clock(),
  });
  // It was changed meanwhile: the next look, which is due then, is about what it is now.
  if (fetchRevision === null) return CUT_OFF;
  await followRefs(app, source, mappings, tips);
  const looked = { projectId, sourceId, generation, fetchRevision, tipSha, mirror };
  for (const each of app.askAll(sourceLooked)) await each(app, looked, signal);
  return { ok: true, looked };
}

/** What this process does with sources, each in its turn: its lease keeps out other processes alone. */
const turns = resource(() => new Map<string, Promise<unknown>>());

async function inTurn<T>(app: App, source: string, work: () => Promise<T>): Promise<T> {
  const queue = app.get(turns);
  const mine = (queue.get(source) ?? Promise.resolve()).then(work);
  const ended = mine.catch(() => undefined);
  queue.set(source, ended);
  try {
    return await mine;
  } finally {
    if (queue.get(source) === ended) queue.delete(source);
  }
}

/** Looks at a source if it is due: fetches it, records followed refs, has its campaigns judged. Answers whether it was due. */
export const lookAtSource = (
  app: App,
  projectId: string,
  id: string,
  signal: AbortSignal,
): Promise<boolean> =>
  inTurn(app, `${projectId} ${id}`, async () => {
    const { kysely } = app.database;
    const leaseOwner = app.get(processes).leaseOwner();
    const now = app.clock();
    const source = await claimSource(kysely, projectId, { id, now, nextAt: now + EVERY_MS, leaseOwner });
    if (source === null) return false;
    try {
      await look(app, source, signal);
    } finally {
      await releaseSource(kysely, projectId, id, leaseOwner);
    }
    return true;
  });

const ASK_AGAIN_MS = SECOND_MS / 5;

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Another process has the lease of the source, or this one is at it. */
const BUSY = { ok: false as const, reason: "busy" };

/**
 * Looks at a source now, whenever it is due, and has `use` read its mirror while no other one works on it. Answers why it cannot be read, or
 * `busy` where that was not possible before `signal` was aborted.
 */
export async function readSource<T>(
  app: App,
  projectId: string,
  id: string,
  { signal, use }: { signal: AbortSignal; use: (looked: Looked) => Promise<T> },
): Promise<{ ok: true; read: T } | { ok: false; reason: string }> {
  const { kysely } = app.database;
  const leaseOwner = app.get(processes).leaseOwner();
  const claim = (): Promise<SourceRow | null> => {
    const now = app.clock();
    return claimSource(kysely, projectId, { id, now, nextAt: now + EVERY_MS, leaseOwner, isWanted: true });
  };
  const read = inTurn(app, `${projectId} ${id}`, async () => {
    let source: SourceRow | null = null;
    while (source === null && !signal.aborted) {
      source = await claim();
      if (source === null) await sleep(ASK_AGAIN_MS);
    }
    if (source === null) return BUSY;
    try {
      const found = await look(app, source, signal);
      return found.ok ? { ok: true as const, read: await use(found.looked) } : found;
    } finally {
      await releaseSource(kysely, projectId, id, leaseOwner);
    }
  });
  return Promise.race([read, whenAborted(signal).then(() => BUSY)]);
}
