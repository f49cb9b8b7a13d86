import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import {
  type CodeChange,
  fetchMirror,
  type GitProof,
  judgeChanges,
  type Mirror,
  openMirror,
} from "../src/features/sources/git/public.ts";
import type { Repository } from "./peers/repository.ts";

export const commitOf = (sha: string): CodeChange => ({ kind: "commit", sha });
export const pullOf = (...shas: string[]): CodeChange => ({
  kind: "pull_request",
  number: 1,
  shas,
  mergeCommit: null,
});

/** Mirrors in a folder that is removed at the end. Call at the top of a file. */
export function mirrorsOf(): (repository: Repository) => Promise<Mirror> {
  const base = mkdtempSync(join(tmpdir(), "tidings-judging-"));
  after(() => rmSync(base, { recursive: true, force: true }));
  let mirrors = 0;
  const { signal } = new AbortController();
  return async ({ url }) => {
    const opened = await openMirror(join(base, `mirror-${mirrors++}`), { signal });
    assert.ok(opened.ok);
    const remote = { url, credential: null, allowPrivate: true };
    assert.deepEqual(await fetchMirror(opened.mirror, remote, { maxMegabytes: 100, signal }), { ok: true });
    return opened.mirror;
  };
}

/** Judges one change in what is deployed. */
export async function judgeOne(
  mirror: Mirror,
  change: CodeChange,
  deployed: string,
  signal = new AbortController().signal,
): Promise<GitProof> {
  const question = { changes: [change], branchTip: deployed, deployed, signal };
  const [verdict] = await judgeChanges(mirror, question);
  assert.ok(verdict);
  return verdict;
}

/** A commit as `git fast-import` takes it. Its parents are marks of others, or commits. */
export type Imported = {
  message: string;
  parents: readonly (string | number)[];
  files?: Readonly<Record<string, string>>;
  /** Seconds. */
  at?: number;
};

/** Makes many commits at once; the last one becomes the tip of main, or of another branch. Answers them in their order. */
export function importCommits(
  { folder, git }: Repository,
  commits: readonly Imported[],
  to = "main",
): string[] {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const nameOf = (parent: string | number): string =>
    typeof parent === "number" ? `:${parent + 1}` : parent;
  const stream = commits.map(({ message, parents, files = {}, at = 1_800_000_000 }, index) => {
    const [from, ...merged] = parents.map(nameOf);
    return [
      `commit refs/heads/imported\nmark :${index + 1}\ncommitter Mallory <m@acme.example> ${at + index} +0000\n`,
      data(message),
      from === undefined ? "" : `from ${from}\n`,
      ...merged.map((each) => `merge ${each}\n`),
      ...Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`),
    ].join("");
  });
  const exported = join(folder, ".git", "marks");
  const input = `${stream.join("\n")}\ndone\n`;
  const options = ["--quiet", "--done", "--force", `--export-marks=${exported}`];
  execFileSync("git", ["fast-import", ...options], { cwd: folder, input });
  git("update-ref", `refs/heads/${to}`, "refs/heads/imported");
  const lines = execFileSync("sort", ["-t:", "-k2n", exported], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => line.split(" ")[1] ?? "");
}
