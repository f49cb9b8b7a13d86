/**
 * `node bench/coverage.ts [--commits 200000] [--changes 100] [--rounds 5]`: how long it takes to say of so many changes whether they are in
 * what was deployed, in a history of so many commits; in turn with as many calls of the git command that do nothing but look for an ancestor.
 * And to read the 200 newest commits with their patches, as source work does; in turn with one `git log -p` of the same.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  type CodeChange,
  fetchMirror,
  judgeChanges,
  openMirror,
  readCommitWindow,
} from "../apps/server/src/features/sources/git/public.ts";
import { runGit } from "../apps/server/src/features/sources/git/running/run.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "200000" },
    changes: { type: "string", default: "100" },
    rounds: { type: "string", default: "5" },
  },
});
const [commits, changes, rounds] = [values.commits, values.changes, values.rounds].map(Number);
if (!commits || !changes || !rounds || commits < changes * 10) throw new Error("Too few commits or rounds.");

const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "tidings-coverage-"));
const source = join(folder, "source.git");
const git = (...args: string[]): string =>
  execFileSync("git", ["--git-dir", source, ...args], { encoding: "utf8", maxBuffer: 1e9 }).trim();

/** A line of commits, each of which changes one of 1,000 files; one in a hundred takes back the one before it. */
async function makeHistory(): Promise<void> {
  execFileSync("git", ["init", "--quiet", "--bare", "-b", "main", source]);
  const child = spawn("git", ["--git-dir", source, "fast-import", "--quiet"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "close");
  for (let i = 1; i <= (commits ?? 0); i++) {
    const message = `Commit ${i}\n`;
    const text = `${i}\n`;
    const isFull = !child.stdin.write(
      `commit refs/heads/main\nmark :${i}\ncommitter A <a@acme.example> ${1_700_000_000 + i} +0000\n` +
        `data ${message.length}\n${message}M 100644 inline files/${i % 1_000}.txt\ndata ${text.length}\n${text}\n`,
    );
    if (isFull) await once(child.stdin, "drain");
  }
  child.stdin.end("done\n");
  await ended;
}

const WINDOW = 200;

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await act();
  return performance.now() - from;
};
const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

try {
  await makeHistory();
  const opened = await openMirror(join(folder, "mirror"), { signal });
  if (!opened.ok) throw new Error(opened.detail);
  const { mirror } = opened;
  const remote = { url: `file://${source}`, credential: null, allowPrivate: true };
  const fetching = { maxMegabytes: 4_096, signal };
  const fetchMs = await timed(() => fetchMirror(mirror, remote, fetching));
  const all = git("rev-list", "main").split("\n");
  const step = Math.floor(all.length / (2 * changes));
  const shas = Array.from({ length: changes }, (_, index) => all[index * step] ?? "");
  // Deployed is the middle, so that half of the changes are there.
  const deployed = all[Math.floor((changes * step) / 2)] ?? "";
  const branchTip = all[0] ?? "";
  const questionAbout = (changes: CodeChange[]) => ({ changes, branchTip, deployed, signal });
  const asCommits = shas.map((sha): CodeChange => ({ kind: "commit", sha }));
  const asPulls = shas.map(
    (sha, index): CodeChange => ({ kind: "pull_request", number: index + 1, shas: [sha], mergeCommit: null }),
  );
  const found: Record<"bare" | "commits" | "pulls", number[]> = { bare: [], commits: [], pulls: [] };
  for (let round = 0; round < rounds; round++) {
    found.bare.push(
      await timed(async () => {
        for (const sha of shas)
          await runGit({ folder: mirror.folder, args: ["merge-base", "--is-ancestor", sha, deployed] });
      }),
    );
    found.commits.push(await timed(() => judgeChanges(mirror, questionAbout(asCommits))));
    found.pulls.push(await timed(() => judgeChanges(mirror, questionAbout(asPulls))));
  }
  const [headSha = "", fromSha = ""] = [all[0], all[Math.min(WINDOW, all.length - 1)]];
  const reading: Record<"bare" | "window", number[]> = { bare: [], window: [] };
  for (let round = 0; round < rounds; round++) {
    const args = ["log", "-p", `${fromSha}..${headSha}`];
    reading.bare.push(await timed(() => runGit({ folder: mirror.folder, args })));
    reading.window.push(
      await timed(() => readCommitWindow(mirror, { fromSha, headSha, outside: null }, signal)),
    );
  }
  const verdicts = await judgeChanges(mirror, questionAbout(asCommits));
  const present = verdicts.filter(({ state }) => state === "present").length;
  console.log(`${all.length} commits fetched and indexed in ${(fetchMs / 1_000).toFixed(1)} s`);
  console.log(`${present} of ${changes} changes present`);
  const bare = median(found.bare);
  for (const name of ["bare", "commits", "pulls"] as const) {
    const ms = median(found[name]);
    console.log(
      `${name.padEnd(8)} ${(ms / changes).toFixed(1).padStart(8)} ms a change  ${(ms / bare).toFixed(2)} of bare`,
    );
  }
  const [log, window] = [median(reading.bare), median(reading.window)];
  console.log(
    `window   ${window.toFixed(0).padStart(8)} ms for ${WINDOW} commits  ${(window / log).toFixed(2)} of git log -p`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
