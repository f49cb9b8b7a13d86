import { readFile } from "node:fs/promises";
import { resource } from "./runtime.ts";

const PACKAGE = new URL("../../package.json", import.meta.url);
/** Where the repository keeps its history, if the server runs from one. */
const HISTORY = new URL("../../../../.git/", import.meta.url);
/** The commit of a copy without a history: a build of an image leaves it here. */
const COMMIT = new URL("../../../../.commit", import.meta.url);

const textOf = (name: string): Promise<string | null> =>
  readFile(new URL(name, HISTORY), "utf8").catch(() => null);

async function readCommit(): Promise<string | null> {
  const head = (await textOf("HEAD"))?.trim();
  if (head === undefined) return commitIn(await readFile(COMMIT, "utf8").catch(() => ""));
  const ref = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (ref === undefined) return commitIn(head);
  const packed = (await textOf("packed-refs"))?.split("\n").find((line) => line.endsWith(` ${ref}`));
  return commitIn((await textOf(ref)) ?? packed?.split(" ")[0] ?? "");
}

const commitIn = (text: string): string | null => /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0] ?? null;

/** The version of this code, and the commit that it is of; null where neither a repository nor a build says so. */
export type Build = { version: string; commit: string | null };

export async function readBuild(): Promise<Build> {
  const { version } = JSON.parse(await readFile(PACKAGE, "utf8")) as { version: string };
  return { version, commit: await readCommit() };
}

/** What runs here, read once: the code of a process does not change. */
export const build = resource((): Promise<Build> => readBuild());

/** Says at /metrics what runs here. */
export const buildMetric = resource(({ metrics, get }) =>
  metrics.info(
    "tidings_build_info",
    "The version of this process, and its commit.",
    ["version", "commit"],
    async () => {
      const { version, commit } = await get(build);
      return { version, commit: commit ?? "" };
    },
  ),
);
