import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { callRemote, type Failure, failureOf, type Remote } from "./remote.ts";
import type { GitEnded, KilledAs } from "./running/ended.pure.ts";
import { type GitCall, runGit } from "./running/run.ts";

/** A copy of a repository on this machine: bare, and complete. One process at a time works on it. `owner`: see `GitCall`. */
export type Mirror = { folder: string; owner?: string | undefined };

const MINUTE_MS = 60_000;
const FETCH_MS = 10 * MINUTE_MS;
const MEGABYTE = 1_024 * 1_024;
/** What systems count as a block of a file. */
const BLOCK_BYTES = 512;
/** The most packs before they are made one: each makes reading slower. */
const MOST_PACKS = 50;
/** The most commits that are fetched one by one. */
const MOST_SINGLE = 20;

const isDone = (ended: GitEnded): boolean => ended.state === "ended" && ended.code === 0;

/** The files of a folder with their paths; none where it is not there. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
}

const packsOf = ({ folder }: Mirror): string => join(folder, "objects", "pack");

/** Removes what a git that was killed has left: locks, and packs that were never finished. */
async function tidy(mirror: Mirror): Promise<void> {
  const { folder } = mirror;
  const top = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const locks = [
    ...top,
    ...(await filesIn(join(folder, "refs"))),
    ...(await filesIn(join(folder, "objects", "info"))),
  ];
  const unfinished = (await readdir(packsOf(mirror)).catch(() => []))
    .filter((name) => name.startsWith("tmp_"))
    .map((name) => join(packsOf(mirror), name));
  for (const path of [...locks.filter((path) => path.endsWith(".lock")), ...unfinished])
    await rm(path, { force: true });
}

/** Opens the mirror in a folder, and makes it where there is none or half of one. */
export async function openMirror(
  folder: string,
  { signal, owner }: { signal: AbortSignal; owner?: string },
): Promise<{ ok: true; mirror: Mirror } | Failure> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await tidy({ folder });
  const ended = await runGit({ args: ["init", "--bare", "--quiet", "--template=", folder], owner, signal });
  return isDone(ended) ? { ok: true, mirror: { folder, owner } } : failureOf(ended);
}

/** How many files are looked at at once. */
const FILES_AT_ONCE = 64;

/** How many bytes the files in a folder take on the disk. Many small ones take more than is in them. */
export async function bytesIn(folder: string): Promise<number> {
  const paths = await filesIn(folder);
  let bytes = 0;
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const sizes = paths.slice(at, at + FILES_AT_ONCE).map((path) =>
      stat(path).then(
        ({ size, blocks }) => Math.max(size, blocks * BLOCK_BYTES),
        // It was removed meanwhile.
        () => 0,
      ),
    );
    for (const size of await Promise.all(sizes)) bytes += size;
  }
  return bytes;
}

/** `room` is the folder of all mirrors of a project, and how much they may take together. */
type Fetching = {
  maxMegabytes: number;
  room?: { folder: string; maxMegabytes: number };
  signal: AbortSignal;
  deadlineMs?: number;
};

/** Memory that indexing what was fetched may take, in megabytes: what is fetched may have so many objects. */
const memoryFor = (maxMegabytes: number): number => Math.max(1_024, maxMegabytes);

/** What is too much of a mirror, before it grows and while it does: it alone, or all of its project together. */
async function growthOf({ folder }: Mirror, { maxMegabytes, room }: Fetching) {
  const before = await bytesIn(folder);
  const others = room === undefined ? 0 : (await bytesIn(room.folder)) - before;
  const inAll = room === undefined ? Number.POSITIVE_INFINITY : room.maxMegabytes * MEGABYTE;
  const excessOf = (own: number): KilledAs | null => {
    if (own > maxMegabytes * MEGABYTE) return "too_much";
    return others + own > inAll ? "no_room" : null;
  };
  return { before: excessOf(before), excess: async () => excessOf(await bytesIn(folder)) };
}

async function fetchRefs(
  mirror: Mirror,
  remote: Remote,
  refspecs: readonly string[],
  fetching: Fetching,
): Promise<{ ok: true } | Failure> {
  const { maxMegabytes, signal, deadlineMs = FETCH_MS } = fetching;
  const options = [
    "--prune",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--force",
    "--quiet",
  ];
  const isNew = (await filesIn(join(mirror.folder, "objects"))).length === 0;
  const { before, excess } = await growthOf(mirror, fetching);
  if (before !== null) return failureOf({ state: before });
  const ended = await callRemote(remote, {
    folder: mirror.folder,
    kind: "bring",
    deadlineMs,
    signal,
    excess,
    memoryMb: memoryFor(maxMegabytes),
    fileMb: maxMegabytes,
    args: ["fetch", ...options, "--end-of-options", remote.url, ...refspecs],
  });
  if ("ok" in ended) return ended;
  const after = isDone(ended) ? await excess() : null;
  if (isDone(ended) && after === null) return { ok: true };
  // What a repository has left that was never had whole would only take the room of others.
  if (isNew) await rm(mirror.folder, { recursive: true, force: true });
  else await tidy(mirror);
  return failureOf(after === null ? ended : { state: after });
}

/** Makes many packs one, with all commits that were ever fetched, and indexes the history, so that asking it stays fast. */
async function keepFast(mirror: Mirror, { maxMegabytes, signal }: Fetching): Promise<void> {
  const call: Omit<GitCall, "args"> = {
    ...mirror,
    kind: "bring",
    deadlineMs: FETCH_MS,
    signal,
    memoryMb: memoryFor(maxMegabytes),
    fileMb: maxMegabytes,
  };
  const packs = (await readdir(packsOf(mirror)).catch(() => [])).filter((name) => name.endsWith(".pack"));
  if (packs.length > MOST_PACKS) await runGit({ ...call, args: ["repack", "-a", "-d", "-k", "-q"] });
  await runGit({ ...call, args: ["commit-graph", "write", "--reachable", "--split", "--no-progress"] });
}

/** Brings all branches of a mirror up to date; branches that are gone are removed. */
export async function fetchMirror(
  mirror: Mirror,
  remote: Remote,
  fetching: Fetching,
): Promise<{ ok: true } | Failure> {
  const fetched = await fetchRefs(mirror, remote, ["+refs/heads/*:refs/heads/*"], fetching);
  if (fetched.ok) await keepFast(mirror, fetching);
  return fetched;
}

/** Fetches commits that are on no branch any more, as far as the host still has and gives them. */
export async function fetchCommits(
  mirror: Mirror,
  remote: Remote,
  shas: readonly string[],
  fetching: Fetching,
): Promise<void> {
  const refspecOf = (sha: string): string => `+${sha}:${keepRef(sha)}`;
  const all = await fetchRefs(mirror, remote, shas.map(refspecOf), fetching);
  if (all.ok || shas.length === 1) return;
  // One commit that the host does not have refuses all of them.
  for (const sha of shas.slice(0, MOST_SINGLE)) await fetchRefs(mirror, remote, [refspecOf(sha)], fetching);
}

/** Which of these commits a mirror has. */
export async function hasCommits(mirror: Mirror, shas: readonly string[]): Promise<ReadonlySet<string>> {
  if (shas.length === 0) return new Set();
  const input = `${shas.join("\n")}\n`;
  const ended = await runGit({ ...mirror, args: ["cat-file", "--batch-check"], input });
  if (ended.state !== "ended") return new Set();
  const found = ended.stdout.split("\n").flatMap((line) => {
    const [sha = "", type] = line.split(" ");
    return type === "commit" ? sha : [];
  });
  return new Set(found);
}

const keepRef = (sha: string): string => `refs/tidings/keep/${sha}`;

/** Keeps commits that a mirror has, whatever becomes of the branches that they are on. */
export async function keepCommits(mirror: Mirror, shas: readonly string[]): Promise<void> {
  if (shas.length === 0) return;
  const input = shas.map((sha) => `update ${keepRef(sha)} ${sha}\n`).join("");
  await runGit({ ...mirror, args: ["update-ref", "--stdin"], input });
}
