import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ownRepository } from "../../../../../test/from-code.ts";
import { startGitServer } from "../../../../../test/peers/git-server.ts";
import { WITHOUT_GIT } from "../../../../../test/peers/repository.ts";
import { Scratch } from "../judging/scratch.ts";
import { fetchMirror, judgeChanges, openMirror, type Remote, readCommitWindow, readTips } from "../public.ts";
import { endOf } from "./ended.pure.ts";
import { Places } from "./places.ts";
import { runGit } from "./run.ts";

const { signal } = new AbortController();
const base = mkdtempSync(join(tmpdir(), "tidings-bounds-"));
after(() => rmSync(base, { recursive: true, force: true }));

const remoteOf = (url: string): Remote => ({ url, credential: null, allowPrivate: true });

/** Puts a program of this name before those of the machine while something is done. `script` is what a shell does for it. */
async function withProgram<T>(name: string, script: string, work: () => Promise<T>): Promise<T> {
  const { PATH = "" } = process.env;
  const folder = mkdtempSync(join(base, "programs-"));
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  try {
    process.env.PATH = `${folder}:${PATH}`;
    return await work();
  } finally {
    process.env.PATH = PATH;
  }
}

const REAL_GIT =
  WITHOUT_GIT === false ? execFileSync("/bin/sh", ["-c", "command -v git"]).toString().trim() : "";

/** What the system says of the git that has this among its arguments. */
function statusOf(argument: string): { limits: string; niceness: number } {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, "utf8");
      const [name, ...args] = read("cmdline").split("\0");
      if (name !== "git" || !args.includes(argument)) continue;
      return {
        limits: read("limits"),
        niceness: Number(
          read("stat")
            .replace(/^.*\) /, "")
            .split(" ")[16],
        ),
      };
    } catch {
      // It has ended.
    }
  throw new Error("There is no such git.");
}

describe("what git may use", { skip: WITHOUT_GIT }, () => {
  it("is bounded from its start on: memory, processor time, files, and it stands back", async () => {
    const server = await startGitServer(base);
    server.hang();
    const isThere = server.nextRequest();
    const ending = new AbortController();
    const read = readTips(remoteOf(`${server.url}/acme.git`), {
      refs: ["refs/heads/main"],
      signal: ending.signal,
    });
    await isThere;
    const { limits, niceness } = statusOf(`${server.url}/acme.git`);
    ending.abort();
    await read;
    await server.close();
    const limitOf = (name: string): string | undefined =>
      new RegExp(`^Max ${name} +(\\S+)`, "m").exec(limits)?.[1];
    assert.deepEqual(
      ["data size", "cpu time", "file size", "core file size"].map(limitOf),
      [256 * 1_024 * 1_024, 30, 16 * 1_024 * 1_024, 0].map(String),
    );
    assert.ok(niceness > 0);
  });

  it("is enough for the change of a file of 12 MB of short lines, which is found when it was squashed", async () => {
    const repository = ownRepository();
    const lines = Array.from({ length: 6_000_000 }, (_, at) => String.fromCharCode(97 + (at % 23)));
    repository.commit({ "large.txt": lines.join("\n") }, "Before");
    repository.branch("feature");
    for (let at = 0; at < lines.length; at += 3) lines[at] = "z";
    const sha = repository.commit({ "large.txt": lines.join("\n") }, "Change it");
    repository.checkout("main");
    repository.commit({ "other.txt": "x\n" }, "Meanwhile");
    repository.git("merge", "--squash", "--quiet", "feature");
    repository.git("commit", "--quiet", "-m", "Change it (#1)");
    const mirror = { folder: join(repository.folder, ".git") };
    const deployed = repository.tip();
    const judged = (commit: string) =>
      withProgram("git", `ulimit -d 65536\nexec ${REAL_GIT} "$@"`, () =>
        judgeChanges(mirror, {
          changes: [{ kind: "pull_request", number: 1, shas: [sha], mergeCommit: null }],
          branchTip: null,
          deployed: commit,
          signal,
        }),
      );
    assert.deepEqual(
      (await judged(deployed)).map(({ state, representation }) => [state, representation]),
      [["present", [deployed]]],
    );
    assert.deepEqual(
      (await judged(repository.tip(`${deployed}^`))).map(({ state }) => state),
      ["absent"],
    );
    const asText = { folder: mirror.folder, config: { "core.bigFileThreshold": "1g" } };
    const ended = await runGit({ ...asText, args: ["log", "-p", "-1", sha], memoryMb: 64 });
    assert.equal(ended.state, "memory");
  });

  it("is not known, and not absent, where a large file was changed beside others", async () => {
    const repository = ownRepository();
    const lines = Array.from({ length: 500_000 }, (_, at) => `line ${at}`);
    const write = (changed: number, message: string): string => {
      lines[changed] = message;
      return repository.commit({ "large.txt": lines.join("\n") }, message);
    };
    write(1, "Before");
    repository.branch("feature");
    const sha = write(250_000, "Feature");
    repository.checkout("main");
    lines[250_000] = "line 250000";
    const apart = write(499_000, "Meanwhile");
    repository.branch("side");
    repository.commit({ "b.txt": "b\n" });
    write(250_000, "Feature");
    repository.checkout("main");
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side");
    const judged = async (deployed: string) => {
      const [verdict] = await judgeChanges(
        { folder: join(repository.folder, ".git") },
        {
          changes: [{ kind: "pull_request", number: 1, shas: [sha], mergeCommit: null }],
          branchTip: null,
          deployed,
          signal,
        },
      );
      return [verdict?.state, verdict?.reason];
    };
    assert.deepEqual(await judged(repository.tip()), [
      "unknown",
      "A file of this change is too large to compare, or is no text, and others change it too.",
    ]);
    // Commits of the first-parent line are compared as trees.
    assert.deepEqual(await judged(apart), ["absent", null]);
  });

  it("is not known, and not absent, where it does not suffice", async () => {
    const repository = ownRepository();
    repository.branch("feature");
    const sha = repository.commit({ "a.txt": "a\n" });
    repository.checkout("main");
    const deployed = repository.commit({ "b.txt": "b\n" });
    const mirror = { folder: join(repository.folder, ".git") };
    const script = `case "$*" in *" log "*) echo "fatal: Out of memory, malloc failed" >&2; exit 128;; esac\nexec ${REAL_GIT} "$@"`;
    const verdicts = await withProgram("git", script, () =>
      judgeChanges(mirror, {
        changes: [
          { kind: "pull_request", number: 1, shas: [sha], mergeCommit: null },
          { kind: "commit", sha: deployed },
        ],
        branchTip: null,
        deployed,
        signal,
      }),
    );
    assert.deepEqual(
      verdicts.map(({ state, reason }) => [state, reason]),
      [
        ["unknown", "To compare its changes takes more memory than git may have here."],
        ["unknown", "To compare its changes takes more memory than git may have here."],
      ],
    );
  });

  it("is little for a tree of a hundred thousand files: the first of them are read, by few commands", async () => {
    const repository = ownRepository();
    const from = repository.tip();
    const blob = repository.git("hash-object", "-w", "README.md");
    const entries = Array.from({ length: 100_000 }, (_, at) => `100644 blob ${blob}\tfile-${at}\n`);
    const tree = execFileSync("git", ["mktree"], { cwd: repository.folder, input: entries.join("") });
    const to = repository.git("commit-tree", "-p", from, "-m", "Many files", tree.toString().trim());
    const mirror = { folder: join(repository.folder, ".git") };
    const log = join(base, "commands");
    const window = await withProgram("git", `echo "$2" >> ${log}\nexec ${REAL_GIT} "$@"`, () =>
      readCommitWindow(mirror, { fromSha: from, headSha: to, outside: null }, signal),
    );
    assert.equal(window?.files.length, 300);
    assert.ok(window.files.slice(0, 250).every(({ patch }) => patch !== null));
    const commands = readFileSync(log, "utf8").trim().split("\n");
    assert.ok(commands.length < 30, `${commands.length} commands`);
  });

  it("is not what a host says: of megabytes the end is kept, and why it failed is found there", async () => {
    const url = "ssh://git@127.0.0.1/acme.git";
    const noise = `head -c 8000000 /dev/zero | tr '\\0' 'x' | fold -w 100 >&2`;
    const script = `${noise}\necho 'git@127.0.0.1: Permission denied (publickey).' >&2\nexit 255`;
    await withProgram("ssh", script, async () => {
      const ended = await runGit({ args: ["ls-remote", url], env: { GIT_ALLOW_PROTOCOL: "ssh" } });
      assert.ok(ended.state === "ended" && ended.code === 128);
      assert.ok(ended.stderr.length <= 64 * 1_024 && ended.stderr.length > 60 * 1_024);
      assert.match(ended.stderr, /Permission denied/);
      const read = await readTips(remoteOf(url), { refs: ["refs/heads/main"], signal });
      assert.ok(!read.ok && read.reason === "auth" && read.detail.length <= 300);
    });
  });

  it("is the room that trials of merges write to: looked at after some, and full for good", async () => {
    const folder = mkdtempSync(join(base, "scratch-"));
    const scratch = new Scratch(folder, 100_000);
    const tried = async (trials: number): Promise<boolean[]> => {
      const rooms = new Set<boolean>();
      for (let trial = 0; trial < trials; trial++) rooms.add(await scratch.hasRoom());
      return [...rooms];
    };
    writeFileSync(join(folder, "a"), "x".repeat(50_000));
    assert.deepEqual(await tried(100), [true]);
    mkdirSync(join(folder, "ab"));
    writeFileSync(join(folder, "ab", "b"), "x".repeat(60_000));
    assert.deepEqual(await tried(1), [false]);
    rmSync(join(folder, "a"));
    assert.deepEqual(await tried(20), [false]);
  });

  it("is a number of bytes that it prints", async () => {
    assert.deepEqual(await runGit({ args: ["version"], maxBytes: 3 }), { state: "output" });
  });

  it("is a part of the room that all repositories of a project have; those of others go on", async () => {
    const repository = ownRepository();
    repository.commit({ "large.txt": Array.from({ length: 200_000 }, () => Math.random()).join() });
    const small = ownRepository();
    const fetched = async (project: string, name: string, url: string) => {
      const folder = join(base, project, name);
      const opened = await openMirror(folder, { signal, owner: project });
      assert.ok(opened.ok);
      const room = { folder: join(base, project), maxMegabytes: 3 };
      const answer = await fetchMirror(opened.mirror, remoteOf(url), { maxMegabytes: 100, room, signal });
      return answer.ok ? "ok" : answer.detail;
    };
    const full = "The repositories of this project take all that SOURCES_PROJECT_MAX_MB allows.";
    assert.equal(await fetched("a", "first", repository.url), "ok");
    assert.equal(await fetched("a", "second", repository.url), full);
    assert.equal(await fetched("a", "third", small.url), "ok");
    assert.equal(await fetched("b", "first", repository.url), "ok");
    // What could not stay has left nothing.
    assert.equal(existsSync(join(base, "a", "second")), false);
  });
});

describe("the end of a git", () => {
  it("is what its exit code and its own words say, never what a host says", () => {
    const cases: [code: number, text: string, state: string][] = [
      [0, "", "ended"],
      [1, "", "ended"],
      [128, "fatal: Out of memory, malloc failed (tried to allocate 104000024 bytes)\n", "memory"],
      [128, "error: index-pack died of signal 9\nfatal: fetch-pack: invalid index-pack output\n", "memory"],
      [128, "fatal: mmap failed: Cannot allocate memory\n", "memory"],
      [128, "remote: fatal: Out of memory, malloc failed\nfatal: early EOF\n", "ended"],
      [0, "error: Out of memory\n", "ended"],
      [128, "error: index-pack died of signal 24\n", "timeout"],
      [128, "error: index-pack died of signal 25\n", "too_much"],
      [128, "fatal: write error: File too large\n", "too_much"],
      [152, "", "timeout"],
      [153, "", "too_much"],
      [127, "git: 1: exec: git: not found\n", "missing"],
    ];
    for (const [code, text, state] of cases)
      assert.equal(endOf({ code, stdout: "", text, isCut: false }).state, state, `${code} ${text}`);
  });

  it("has whole lines alone, where the beginning was left out", () => {
    const ended = (text: string) => endOf({ code: 128, stdout: "", text, isCut: true });
    assert.deepEqual(ended("cret\nfatal: x\n"), {
      state: "ended",
      code: 128,
      stdout: "",
      stderr: "fatal: x\n",
    });
    assert.deepEqual(ended("cret"), { state: "ended", code: 128, stdout: "", stderr: "" });
  });
});

describe("places", () => {
  /** Takes a place for each of these; answers who has got one so far, in order, and gives places back. */
  function taking(places: Places, owners: readonly string[]) {
    const begun: string[] = [];
    const leaves: (() => void)[] = [];
    const begin = (owner: string, leave: (() => void) | null): void => {
      if (leave === null) return;
      begun.push(owner);
      leaves.push(leave);
    };
    for (const owner of owners) {
      const taken = places.take(owner);
      if (taken instanceof Promise) void taken.then((leave) => begin(owner, leave));
      else begin(owner, taken);
    }
    const leave = async (): Promise<string> => {
      leaves.shift()?.();
      await Promise.resolve();
      return begun.join("");
    };
    return { begun, leave };
  }

  it("are so many at once and of one owner, and owners have them in turn", async () => {
    const { begun, leave } = taking(new Places({ atOnce: 2, ofOne: 1 }), [..."aaaabcbc"]);
    assert.equal(begun.join(""), "ab");
    assert.equal(await leave(), "aba");
    assert.equal(await leave(), "abac");
    assert.equal(await leave(), "abacb");
    assert.equal(await leave(), "abacba");
    for (const all of ["abacbac", "abacbaca"]) assert.equal(await leave(), all);
    for (let left = 0; left < 2; left++) await leave();
    assert.equal(begun.length, 8);
  });

  it("are waited for no longer than somebody needs them", async () => {
    const places = new Places({ atOnce: 1, ofOne: 1 });
    const leave = places.take("a");
    assert.ok(!(leave instanceof Promise));
    const ending = new AbortController();
    const late = places.take("b", ending.signal);
    const next = places.take("c");
    ending.abort();
    assert.equal(await late, null);
    leave();
    assert.notEqual(await next, null);
  });
});
