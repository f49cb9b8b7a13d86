import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type GitServer, startGitServer } from "../../../../test/peers/git-server.ts";
import { makeRepository, type Repository, WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  fetchCommits,
  fetchMirror,
  hasCommits,
  keepCommits,
  type Mirror,
  openMirror,
  type Remote,
  readTips,
} from "./public.ts";
import { runGit, scrubbed } from "./running/run.ts";
import { branchFault, parseCredential, urlFault } from "./url.pure.ts";

const { signal } = new AbortController();
const fetching = { maxMegabytes: 100, signal };
const base = mkdtempSync(join(tmpdir(), "tidings-git-"));
after(() => rmSync(base, { recursive: true, force: true }));

let repository: Repository;
let mirrors = 0;
const MAIN = { refs: ["refs/heads/main"], signal };

async function opened(folder = join(base, `mirror-${mirrors++}`)): Promise<Mirror> {
  const answer = await openMirror(folder, { signal });
  assert.ok(answer.ok);
  return answer.mirror;
}

/** All processes of this machine that have not ended, with their arguments. */
const commands = (): { pid: number; parent: string; line: string }[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      const read = (name: string): string => {
        try {
          return readFileSync(`/proc/${pid}/${name}`, "utf8");
        } catch {
          return "";
        }
      };
      const parent = /^PPid:\s+(\d+)$/m.exec(read("status"))?.[1] ?? "";
      return { pid: Number(pid), parent, line: read("cmdline") };
    });

/** Those with an argument that were started by a process, or have another text among their arguments. */
const processesOf = (parentOrText: string, argument: string): number[] =>
  commands()
    .filter(
      ({ parent, line }) =>
        line.includes(argument) && (parent === parentOrText || line.includes(parentOrText)),
    )
    .map(({ pid }) => pid);

const fileRemote = (): Remote => ({ url: repository.url, credential: null, allowPrivate: true });

describe("git", { skip: WITHOUT_GIT }, () => {
  beforeEach(() => {
    repository = makeRepository();
  });
  afterEach(() => repository.remove());

  describe("a mirror", () => {
    it("has all branches as they are, and is opened twice", async () => {
      const sha = repository.commit({ "a.txt": "a" });
      const mirror = await opened();
      assert.deepEqual(await fetchMirror(mirror, fileRemote(), fetching), { ok: true });
      assert.deepEqual(await hasCommits(mirror, [sha]), new Set([sha]));
      repository.branch("other");
      const other = repository.commit({ "b.txt": "b" });
      await fetchMirror(await opened(mirror.folder), fileRemote(), fetching);
      assert.deepEqual(await hasCommits(mirror, [sha, other, "f".repeat(40)]), new Set([sha, other]));
    });

    it("loses nothing that it keeps to a force-push or the end of a branch, and finds what it missed", async () => {
      repository.branch("feature");
      const kept = repository.commit({ "a.txt": "a" });
      const mirror = await opened();
      await fetchMirror(mirror, fileRemote(), fetching);
      await keepCommits(mirror, [kept]);
      repository.checkout("main");
      repository.git("branch", "-D", "feature");
      repository.branch("short");
      const missed = repository.commit({ "b.txt": "b" });
      repository.checkout("main");
      repository.git("branch", "-D", "short");
      repository.git("commit", "--quiet", "--amend", "-m", "Another beginning");
      await fetchMirror(mirror, fileRemote(), fetching);
      await runGit({ folder: mirror.folder, args: ["gc", "--prune=now", "--quiet"] });
      const tip = repository.tip();
      assert.deepEqual(await hasCommits(mirror, [kept, missed, tip]), new Set([kept, tip]));
      await fetchCommits(mirror, fileRemote(), [missed, "f".repeat(40)], fetching);
      assert.deepEqual(await hasCommits(mirror, [missed]), new Set([missed]));
    });

    it("is mended after a kill: half of a folder, locks, a pack that was never finished", async () => {
      const mirror = await opened();
      rmSync(join(mirror.folder, "HEAD"));
      rmSync(join(mirror.folder, "refs"), { recursive: true });
      await opened(mirror.folder);
      await fetchMirror(mirror, fileRemote(), fetching);
      const packs = join(mirror.folder, "objects", "pack");
      const left = [
        ...["packed-refs.lock", "config.lock", "shallow.lock"].map((name) => join(mirror.folder, name)),
        join(mirror.folder, "refs", "heads", "main.lock"),
        join(packs, "tmp_pack_abc"),
      ];
      for (const path of left) writeFileSync(path, "");
      const sha = repository.commit({ "a.txt": "a" });
      await opened(mirror.folder);
      assert.deepEqual(await fetchMirror(mirror, fileRemote(), fetching), { ok: true });
      assert.deepEqual(await hasCommits(mirror, [sha]), new Set([sha]));
      assert.deepEqual(left.filter(existsSync), []);
    });

    it("refuses a repository that is larger than it may be", async () => {
      repository.commit({ "large.txt": randomBytes(3_000_000).toString("base64") });
      const fetched = await fetchMirror(await opened(), fileRemote(), { maxMegabytes: 1, signal });
      assert.equal(fetched.ok ? null : fetched.reason, "too_large");
    });

    it("does nothing that a repository says: no hook, no filter, no other program", async () => {
      const proof = join(base, "was-run");
      const mirror = await opened();
      writeFileSync(join(mirror.folder, "hooks-of-theirs"), "");
      repository.commit({ ".gitattributes": "* filter=evil diff=evil merge=evil\n", "a.txt": "a" });
      execFileSync("git", ["--git-dir", mirror.folder, "config", "core.hooksPath", base]);
      for (const hook of ["reference-transaction", "post-update", "update"])
        writeFileSync(join(base, hook), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
      await fetchMirror(mirror, fileRemote(), fetching);
      assert.equal(existsSync(proof), false);
    });
  });

  describe("over HTTP", () => {
    const SECRET = "gh-token-4f7a9c";
    let server: GitServer;
    beforeEach(async () => {
      server = await startGitServer(repository.folder, `ada:${SECRET}`);
    });
    afterEach(() => server.close());

    const remote = (password = SECRET): Remote => ({
      url: `${server.url}/${basename(repository.folder)}/.git`,
      credential: { kind: "basic", user: "ada", password },
      allowPrivate: true,
    });

    it("reads tips and commits with a credential", async () => {
      const tip = repository.tip();
      const read = await readTips(remote(), { refs: ["refs/heads/main", "refs/heads/none"], signal });
      assert.deepEqual(read, { ok: true, tips: new Map([["refs/heads/main", tip]]) });
      const mirror = await opened();
      assert.deepEqual(await fetchMirror(mirror, remote(), fetching), { ok: true });
      assert.deepEqual(await hasCommits(mirror, [tip]), new Set([tip]));
      assert.ok(server.authorized > 0);
    });

    it("says why not, and never with the credential", async () => {
      const wrong = await readTips(remote("wrong-token-77"), MAIN);
      const none = await readTips({ ...remote(), credential: null }, MAIN);
      for (const read of [wrong, none]) assert.equal(read.ok ? null : read.reason, "auth");
      assert.doesNotMatch(JSON.stringify(wrong), /wrong-token|Basic [A-Za-z0-9]/);
      const missing = await readTips({ ...remote(), url: `${server.url}/nowhere/.git` }, MAIN);
      assert.equal(missing.ok ? null : missing.reason, "not_found");
      const closed = await readTips({ ...remote(), url: "http://127.0.0.1:1/x.git" }, MAIN);
      assert.equal(closed.ok ? null : closed.reason, "unavailable");
      const file = await readTips({ url: "file:///nowhere", credential: null, allowPrivate: true }, MAIN);
      assert.equal(file.ok ? null : file.reason, "not_found");
    });

    it("follows no redirect, so that no other host gets the credential", async () => {
      const elsewhere = await startGitServer(repository.folder);
      server.redirectTo(elsewhere.url);
      const read = await readTips(remote(), MAIN);
      assert.equal(read.ok ? null : read.reason, "unavailable");
      assert.ok(!read.ok && !read.detail.includes(SECRET));
      assert.equal(elsewhere.requests, 0);
      await elsewhere.close();
    });

    it("ends at its deadline where a server never answers, and when this process ends", async () => {
      server.hang();
      const late = await readTips(remote(), { ...MAIN, deadlineMs: 200 });
      assert.equal(late.ok ? null : late.reason, "timeout");
      const ending = new AbortController();
      const isThere = server.nextRequest();
      const read = readTips(remote(), { ...MAIN, signal: ending.signal });
      await isThere;
      ending.abort();
      assert.equal((await read).ok, false);
    });

    it("fails where the process that starts git is killed, and works the next time", async () => {
      server.hang();
      const isThere = server.nextRequest();
      const read = readTips(remote(), MAIN);
      await isThere;
      const [starter] = processesOf(String(process.pid), "starter-process");
      assert.ok(starter !== undefined);
      process.kill(starter, "SIGKILL");
      await assert.rejects(read, /The process that starts git has ended/);
      const tips = await readTips(fileRemote(), MAIN);
      assert.deepEqual(tips.ok ? [...tips.tips.values()] : tips, [repository.tip()]);
    });

    it("refuses what the system does not start, and goes on", async () => {
      await assert.rejects(runGit({ args: ["version", "x".repeat(3_000_000)] }), /E2BIG/);
      assert.equal((await runGit({ args: ["version"] })).state, "ended");
    });

    it("ends with the process that asked for it, also where that is killed", async () => {
      server.hang();
      const isThere = server.nextRequest();
      const url = `${server.url}/acme.git`;
      const program = `
        import { runGit } from ${JSON.stringify(new URL("running/run.ts", import.meta.url).href)};
        await runGit({ args: ["ls-remote", ${JSON.stringify(url)}] });`;
      const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
      const ended = once(child, "exit").then(() => "ended");
      assert.notEqual(await Promise.race([isThere, ended]), "ended", "the program asks first");
      assert.notDeepEqual(processesOf("ls-remote", url), []);
      child.kill("SIGKILL");
      while (processesOf("ls-remote", url).length > 0) await setTimeout(20);
    });

    it("has the credential in no argument of any process", async () => {
      server.hang();
      const ending = new AbortController();
      const isThere = server.nextRequest();
      const read = readTips(remote(), { ...MAIN, signal: ending.signal });
      await isThere;
      const encoded = Buffer.from(`ada:${SECRET}`).toString("base64");
      const argumentsOfAll = commands().map(({ line }) => line);
      ending.abort();
      await read;
      assert.ok(argumentsOfAll.some((line) => line.includes("ls-remote")));
      assert.deepEqual(
        argumentsOfAll.filter((line) => line.includes(SECRET) || line.includes(encoded)),
        [],
      );
    });

    it("stays on the public internet where that is demanded", async () => {
      const inside = { ...remote(), allowPrivate: false };
      for (const url of [
        inside.url,
        "https://localhost/x.git",
        "https://[::1]/x.git",
        "ssh://git@10.0.0.1/x.git",
      ]) {
        const read = await readTips({ ...inside, url }, MAIN);
        assert.ok(!read.ok && /public internet/.test(read.detail), url);
      }
      assert.equal(server.requests, 0);
    });
  });

  it("says that there is no git, where there is none", async () => {
    const { PATH } = process.env;
    try {
      process.env.PATH = base;
      const read = await readTips(fileRemote(), MAIN);
      assert.equal(read.ok ? null : read.reason, "git_missing");
      const mirror = await openMirror(join(base, "without"), { signal });
      assert.equal(mirror.ok ? null : mirror.reason, "git_missing");
    } finally {
      process.env.PATH = PATH;
    }
  });
});

describe("addresses of repositories", () => {
  it("are of protocols that are allowed, and have no credentials in them", () => {
    const anywhere = { allowPrivate: true };
    const good = [
      "https://git.example.com/acme/web.git",
      "ssh://git@git.example.com:2222/acme/web.git",
      "git@git.example.com:acme/web.git",
    ];
    for (const url of good) assert.equal(urlFault(url, { allowPrivate: false }), null, url);
    for (const url of ["file:///srv/web.git", "http://10.0.0.1/web.git"]) {
      assert.equal(urlFault(url, anywhere), null, url);
      assert.ok(urlFault(url, { allowPrivate: false }), url);
    }
    for (const url of [
      "",
      "web",
      "/srv/web.git",
      "ext::sh -c id",
      "git://git.example.com/web.git",
      "--upload-pack=id",
      "https://ada:token@git.example.com/web.git",
      "https://token@git.example.com/web.git",
      "https://git.example.com/a b",
      "https://git.example.com/\n",
      "-oProxyCommand=id@host:x",
      `https://git.example.com/${"x".repeat(2_048)}`,
      "ssh://git:pw@git.example.com/web.git",
      // The one host for URL, the other for git.
      "https://git.example.com\\@10.0.0.1/web.git",
      "ssh://git.example.com\\@10.0.0.1/web.git",
    ])
      assert.ok(urlFault(url, anywhere), url);
  });

  it("name branches as git does", () => {
    for (const name of ["main", "release/1.2", "ünï", "a-b_c"]) assert.equal(branchFault(name), null, name);
    for (const name of [
      "",
      "-x",
      ".x",
      "x.",
      "x/",
      "/x",
      "a..b",
      "a b",
      "a~1",
      "a:b",
      "x.lock",
      "a@{1",
      "@",
      "a//b",
    ])
      assert.ok(branchFault(name), name);
  });

  it("come with credentials of two kinds", () => {
    assert.deepEqual(parseCredential("ada:to:ken\n", null), {
      credential: { kind: "basic", user: "ada", password: "to:ken" },
    });
    const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n";
    assert.ok("fault" in parseCredential(key, null));
    const hosts = "git.example.com ssh-ed25519 AAAA";
    for (const text of [key, "ada:to:ken"])
      assert.deepEqual(parseCredential(`\ufeff${text}`, `\ufeff${hosts}`), parseCredential(text, hosts));
    assert.ok("credential" in parseCredential(key, "git.example.com ssh-ed25519 AAAA"));
    for (const text of ["", "token", ":x", "ada:", "ada:a\nb"])
      assert.ok("fault" in parseCredential(text, null), text);
  });

  it("are printed without what could be a credential", () => {
    const text = scrubbed(
      "fatal: https://ada:secret@git.example/x Authorization: Basic c2VjcmV0 password=hunter2\n",
    );
    assert.doesNotMatch(text, /secret|c2VjcmV0|hunter2/);
  });
});
