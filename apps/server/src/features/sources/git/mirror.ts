import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { callRemote, type Failure, failureOf, type Remote } from "./remote.ts";
import { runGit } from "./run.ts";
import type { GitEnded } from "./start.ts";

/** A copy of a repository on this machine: bare, and complete. One process at a time works on it. */
export type Mirror = { folder: string };

const MINUTE_MS = 60_000;
const FETCH_MS = 10 * MINUTE_MS;
const MEGABYTE = 1_024 * 1_024;
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
  { signal }: { signal: AbortSignal },
): Promise<{ ok: true; mirror: Mirror } | Failure> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await tidy({ folder });
  const ended = await runGit({ args: ["init", "--bare", "--quiet", "--template=", folder], signal });
  return isDone(ended) ? { ok: true, mirror: { folder } } : failureOf(ended);
}

/** How many bytes a mirror takes. */
async function sizeOf({ folder }: Mirror): Promise<number> {
  let bytes = 0;
  for (const path of await filesIn(join(folder, "objects")))
    bytes += await stat(path).then(
      ({ size }) => size,
      // It was removed meanwhile.
      () => 0,
    );
  return bytes;
}

type Fetching = { maxMegabytes: number; signal: AbortSignal; deadlineMs?: number };

async function fetchRefs(
  mirror: Mirror,
  remote: Remote,
  refspecs: readonly string[],
  { maxMegabytes, signal, deadlineMs = FETCH_MS }: Fetching,
): Promise<{ ok: true } | Failure> {
  const options = [
    "--prune",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--force",
    "--quiet",
  ];
  const most = maxMegabytes * MEGABYTE;
  const isTooMuch = async (): Promise<boolean> => (await sizeOf(mirror)) > most;
  const ended = await callRemote(remote, {
    ...{ folder: mirror.folder, deadlineMs, signal, isTooMuch },
    args: ["fetch", ...options, "--end-of-options", remote.url, ...refspecs],
  });
  if ("ok" in ended) return ended;
  if (!isDone(ended)) {
    await tidy(mirror);
    return failureOf(ended);
  }
  return (await isTooMuch()) ? failureOf({ state: "too_much" }) : { ok: true };
}

/** Makes many packs one, with all commits that were ever fetched, and indexes the history, so that asking it stays fast. */
async function keepFast(mirror: Mirror, signal: AbortSignal): Promise<void> {
  const { folder } = mirror;
  const packs = (await readdir(packsOf(mirror)).catch(() => [])).filter((name) => name.endsWith(".pack"));
  if (packs.length > MOST_PACKS)
    await runGit({ folder, args: ["repack", "-a", "-d", "-k", "-q"], deadlineMs: FETCH_MS, signal });
  await runGit({
    ...{ folder, deadlineMs: FETCH_MS, signal },
    args: ["commit-graph", "write", "--reachable", "--split", "--no-progress"],
  });
}

/** Brings all branches of a mirror up to date; branches that are gone are removed. */
export async function fetchMirror(
  mirror: Mirror,
  remote: Remote,
  fetching: Fetching,
): Promise<{ ok: true } | Failure> {
  const fetched = await fetchRefs(mirror, remote, ["+refs/heads/*:refs/heads/*"], fetching);
  if (fetched.ok) await keepFast(mirror, fetching.signal);
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
export async function hasCommits({ folder }: Mirror, shas: readonly string[]): Promise<ReadonlySet<string>> {
  if (shas.length === 0) return new Set();
  const ended = await runGit({ folder, args: ["cat-file", "--batch-check"], input: `${shas.join("\n")}\n` });
  if (ended.state !== "ended") return new Set();
  const found = ended.stdout.split("\n").flatMap((line) => {
    const [sha = "", type] = line.split(" ");
    return type === "commit" ? sha : [];
  });
  return new Set(found);
}

const keepRef = (sha: string): string => `refs/tidings/keep/${sha}`;

/** Keeps commits that a mirror has, whatever becomes of the branches that they are on. */
export async function keepCommits({ folder }: Mirror, shas: readonly string[]): Promise<void> {
  if (shas.length === 0) return;
  const input = shas.map((sha) => `update ${keepRef(sha)} ${sha}\n`).join("");
  await runGit({ folder, args: ["update-ref", "--stdin"], input });
}
