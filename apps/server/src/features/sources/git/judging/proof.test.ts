import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { makeRepository, type Repository, WITHOUT_GIT } from "../../../../../test/peers/repository.ts";
import {
  type CodeChange,
  fetchMirror,
  type GitProof,
  judgeChanges,
  type Mirror,
  openMirror,
} from "../public.ts";

const { signal } = new AbortController();
const base = mkdtempSync(join(tmpdir(), "tidings-proof-"));
after(() => rmSync(base, { recursive: true, force: true }));

let repository: Repository;
let mirrors = 0;
beforeEach(() => {
  if (WITHOUT_GIT === false) repository = makeRepository();
});
afterEach(() => repository?.remove());

/** A mirror of the repository as it is now. */
async function mirrored(): Promise<Mirror> {
  const opened = await openMirror(join(base, `mirror-${mirrors++}`), { signal });
  assert.ok(opened.ok);
  const remote = { url: repository.url, credential: null, allowPrivate: true };
  const fetched = await fetchMirror(opened.mirror, remote, { maxMegabytes: 100, signal });
  assert.deepEqual(fetched, { ok: true });
  return opened.mirror;
}

async function judged(
  change: CodeChange,
  deployed: string | null,
  branchTip = repository.tip("main"),
): Promise<GitProof> {
  const [verdict] = await judgeChanges(await mirrored(), { changes: [change], branchTip, deployed, signal });
  assert.ok(verdict);
  return verdict;
}

const stateOf = async (change: CodeChange, deployed: string | null = repository.tip("main")) =>
  (await judged(change, deployed)).state;

const commitOf = (sha: string): CodeChange => ({ kind: "commit", sha });
const pullOf = (...shas: string[]): CodeChange => ({
  kind: "pull_request",
  number: 1,
  shas,
  mergeCommit: null,
});

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}`);
/** A file of 30 lines in which some are others. */
const withLines = (changed: Readonly<Record<number, string>>): string =>
  `${LINES.map((line, index) => changed[index] ?? line).join("\n")}\n`;

/** A pull request of two commits that changes lines 10 and 14 of a file, from main as it is. */
function makePull(): string[] {
  repository.commit({ "app.txt": withLines({}) }, "app");
  repository.branch("feature");
  const shas = [
    repository.commit({ "app.txt": withLines({ 10: "ten" }) }, "ten"),
    repository.commit({ "app.txt": withLines({ 10: "ten", 14: "fourteen" }) }, "fourteen"),
  ];
  repository.checkout("main");
  return shas;
}

/** A change on main two lines above those of the pull request: patches then have another context. */
const moveContext = (): string => repository.commit({ "app.txt": withLines({ 8: "eight" }) }, "eight");

const merge = (branch = "feature"): string => {
  repository.git("merge", "--quiet", "--no-ff", "-m", `Merge ${branch}`, branch);
  return repository.tip();
};
const squash = (branch = "feature"): string => {
  repository.git("merge", "--quiet", "--squash", branch);
  return repository.commit({}, `Squash ${branch}`);
};
const revert = (sha: string, ...more: string[]): string => {
  repository.git("revert", "--no-edit", ...more, sha);
  return repository.tip();
};

describe("judgeChanges", { skip: WITHOUT_GIT }, () => {
  it("finds a commit as an ancestor of what is deployed", async () => {
    const before = repository.tip();
    const sha = repository.commit({ "a.txt": "a" });
    repository.commit({ "b.txt": "b" });
    assert.deepEqual(await judged(commitOf(sha), repository.tip()), {
      state: "present",
      onBranch: null,
      representation: [sha],
      reason: null,
    });
    // A rollback.
    const absent = await judged(commitOf(sha), before);
    assert.deepEqual([absent.state, absent.onBranch], ["absent", true]);
    const pending = await judged(commitOf(sha), null);
    assert.deepEqual([pending.state, pending.onBranch], ["pending", true]);
  });

  it("says that a commit is not on the branch", async () => {
    repository.branch("feature");
    const sha = repository.commit({ "a.txt": "a" });
    repository.checkout("main");
    repository.commit({ "b.txt": "b" });
    const { state, onBranch } = await judged(commitOf(sha), repository.tip("main"));
    assert.deepEqual([state, onBranch], ["absent", false]);
  });

  it("knows nothing of commits that it does not have, and does not guess", async () => {
    const sha = repository.commit({ "a.txt": "a" });
    const nowhere = "0123456789abcdef0123456789abcdef01234567";
    assert.equal(await stateOf(commitOf(nowhere)), "unknown");
    assert.equal(await stateOf(pullOf(sha, nowhere)), "unknown");
    assert.equal(await stateOf(commitOf(sha), nowhere), "unknown");
    assert.equal(await stateOf(commitOf(nowhere), null), "pending");
    // A tree is no commit.
    assert.equal(await stateOf(commitOf(repository.git("rev-parse", "HEAD^{tree}"))), "unknown");
  });

  it("knows nothing where a commit in between is missing from the mirror", async () => {
    const sha = repository.commit({ "a.txt": "a" });
    const between = repository.commit({ "b.txt": "b" });
    const deployed = repository.commit({ "c.txt": "c" });
    const mirror = await mirrored();
    const packs = join(mirror.folder, "objects", "pack");
    for (const name of readdirSync(packs).filter((each) => each.endsWith(".pack"))) {
      renameSync(join(packs, name), join(base, name));
      execFileSync("git", ["--git-dir", mirror.folder, "unpack-objects", "-q"], {
        input: readFileSync(join(base, name)),
      });
    }
    rmSync(join(mirror.folder, "objects", "info"), { recursive: true, force: true });
    rmSync(join(mirror.folder, "objects", between.slice(0, 2), between.slice(2)));
    const question = { changes: [commitOf(sha)], branchTip: deployed, deployed, signal };
    const [verdict] = await judgeChanges(mirror, question);
    assert.equal(verdict?.state, "unknown");
  });

  for (const isMoved of [false, true]) {
    const how = isMoved ? ", where lines nearby have moved" : "";

    it(`finds a pull request that was merged${how}`, async () => {
      const shas = makePull();
      const before = isMoved ? moveContext() : repository.tip();
      merge();
      assert.equal(await stateOf(pullOf(...shas)), "present");
      assert.equal(await stateOf(pullOf(...shas), before), "absent");
    });

    it(`finds a pull request that was squashed${how}`, async () => {
      const shas = makePull();
      const before = isMoved ? moveContext() : repository.tip();
      const sha = squash();
      repository.commit({ "later.txt": "later" });
      const verdict = await judged(pullOf(...shas), repository.tip());
      assert.deepEqual([verdict.state, verdict.representation], ["present", [sha]]);
      assert.equal(await stateOf(pullOf(...shas), before), "absent");
      revert(sha);
      assert.equal(await stateOf(pullOf(...shas)), "reverted");
    });

    it(`finds a pull request that was rebased${how}`, async () => {
      const shas = makePull();
      if (isMoved) moveContext();
      else repository.commit({ "other.txt": "other" });
      const before = repository.tip();
      repository.checkout("feature");
      repository.git("branch", "rebased");
      repository.checkout("rebased");
      repository.git("rebase", "--quiet", "main");
      repository.checkout("main");
      repository.git("merge", "--quiet", "--ff-only", "rebased");
      const [first, second] = repository.git("rev-list", "--reverse", `${before}..main`).split("\n");
      assert.ok(first && second && !shas.includes(first));
      const verdict = await judged(pullOf(...shas), second);
      assert.deepEqual(
        [verdict.state, verdict.representation.toSorted()],
        ["present", [first, second].toSorted()],
      );
      assert.notEqual(await stateOf(pullOf(...shas), first), "present");
      assert.equal(await stateOf(pullOf(...shas), before), "absent");
      revert(first);
      assert.equal(await stateOf(pullOf(...shas)), "reverted");
    });
  }

  it("finds a pull request that was picked for a release, and knows when only a part of it was", async () => {
    repository.commit({ "app.txt": withLines({}) }, "app");
    repository.branch("release");
    repository.checkout("main");
    const shas = makePull();
    merge();
    repository.checkout("release");
    repository.commit({ "notes.txt": "notes" });
    const [first, second] = shas;
    assert.ok(first && second);
    repository.git("cherry-pick", first);
    const part = repository.tip();
    repository.git("cherry-pick", second);
    assert.equal(await stateOf(pullOf(...shas), part), "unknown");
    assert.equal(await stateOf(pullOf(...shas), repository.tip("release")), "present");
  });

  it("finds a pull request that has merges of its base in it", async () => {
    const [first = "", second = ""] = makePull();
    repository.commit({ "main.txt": "main" });
    repository.checkout("feature");
    repository.git("merge", "--quiet", "-m", "Merge main", "main");
    const update = repository.tip();
    const third = repository.commit({ "third.txt": "third" });
    repository.checkout("main");
    repository.commit({ "more.txt": "more" });
    squash();
    assert.equal(await stateOf(pullOf(first, second, update, third)), "present");
  });

  describe("with commits that take something back", () => {
    it("follows a revert, the revert of it, and one more", async () => {
      const sha = repository.commit({ "a.txt": "a" });
      const states: string[] = [];
      let last = sha;
      for (let i = 0; i < 4; i++) {
        states.push(await stateOf(commitOf(sha)));
        last = revert(last);
      }
      assert.deepEqual(states, ["present", "reverted", "present", "reverted"]);
    });

    it("takes each of two reverts of the same commit for itself", async () => {
      const sha = repository.commit({ "a.txt": "a" });
      const says = `Undo\n\nThis reverts commit ${sha}.`;
      const first = repository.commit({ "b.txt": "b" }, says);
      const second = repository.commit({ "c.txt": "c" }, says);
      revert(second);
      assert.equal(await stateOf(commitOf(sha)), "reverted");
      revert(first);
      assert.equal(await stateOf(commitOf(sha)), "present");
    });

    it("knows the revert of a merge, and its revert, also where that was merged itself", async () => {
      const shas = makePull();
      const merged = merge();
      repository.branch("undo");
      revert(merged, "-m", "1");
      repository.checkout("main");
      repository.commit({ "b.txt": "b" });
      assert.equal(await stateOf(pullOf(...shas)), "present");
      const undone = merge("undo");
      for (const change of [pullOf(...shas), ...shas.map(commitOf)])
        assert.equal(await stateOf(change), "reverted");
      revert(undone, "-m", "1");
      for (const change of [pullOf(...shas), ...shas.map(commitOf)])
        assert.equal(await stateOf(change), "present");
    });

    it("lets pass a revert that is not deployed, one of another commit, and one within the pull request", async () => {
      const sha = repository.commit({ "a.txt": "a" });
      const deployed = repository.commit({ "b.txt": "b" });
      revert(deployed);
      assert.equal(await stateOf(commitOf(sha)), "present");
      assert.equal(await stateOf(commitOf(deployed)), "reverted");
      assert.equal(await stateOf(commitOf(deployed), deployed), "present");
      repository.branch("feature");
      const first = repository.commit({ "c.txt": "c" });
      const shas = [first, revert(first), repository.commit({ "d.txt": "d" })];
      repository.checkout("main");
      repository.commit({ "e.txt": "e" });
      merge();
      assert.equal(await stateOf(pullOf(...shas)), "present");
    });

    it("finds what was reverted and picked once more", async () => {
      const shas = makePull();
      const merged = merge();
      revert(merged, "-m", "1");
      for (const sha of shas) repository.git("cherry-pick", sha);
      assert.equal(await stateOf(pullOf(...shas)), "present");
    });
  });
});
