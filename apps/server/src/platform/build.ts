import { readFile } from "node:fs/promises";

const PACKAGE = new URL("../../package.json", import.meta.url);
/** Where the repository keeps its history, if the server runs from one. */
const HISTORY = new URL("../../../../.git/", import.meta.url);

const textOf = (name: string): Promise<string | null> =>
  readFile(new URL(name, HISTORY), "utf8").catch(() => null);

async function readCommit(): Promise<string | null> {
  const head = (await textOf("HEAD"))?.trim() ?? "";
  const ref = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1];
  if (ref === undefined) return commitIn(head);
  const packed = (await textOf("packed-refs"))?.split("\n").find((line) => line.endsWith(` ${ref}`));
  return commitIn((await textOf(ref)) ?? packed?.split(" ")[0] ?? "");
}

const commitIn = (text: string): string | null => /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0] ?? null;

/** The version of this code, and the commit that it is of; null where it does not run from a repository. */
export type Build = { version: string; commit: string | null };

export async function readBuild(): Promise<Build> {
  const { version } = JSON.parse(await readFile(PACKAGE, "utf8")) as { version: string };
  return { version, commit: await readCommit() };
}
