import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { makeRepository, type Repository, WITHOUT_GIT } from "../../../../../test/peers/repository.ts";
import { rounds, seedOf } from "../../../../../test/rounds.ts";
import { type CodeChange, fetchMirror, judgeChanges, openMirror } from "../public.ts";

const { signal } = new AbortController();
const base = mkdtempSync(join(tmpdir(), "tidings-histories-"));
after(() => rmSync(base, { recursive: true, force: true }));

/** How a commit says that it takes another one back: by its whole SHA, by the beginning of it, by its subject, or not at all. */
type Says = "sha" | "short" | "subject" | "nothing";
const says = fc.constantFrom<Says>("sha", "short", "subject", "nothing");

/** What happens in a history. Numbers choose among what there is. */
type Step =
  | { kind: "commit" }
  | { kind: "pull"; commits: number }
  | { kind: "merge" | "squash" | "rebase"; pull: number }
  | { kind: "pick"; pull: number }
  | { kind: "revert"; what: number; says: Says }
  | { kind: "undo"; what: number; says: Says }
  | { kind: "context"; line: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("commit" as const) }),
  fc.record({ kind: fc.constant("pull" as const), commits: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constantFrom("merge" as const, "squash" as const, "rebase" as const),
    pull: fc.nat(9),
  }),
  fc.record({
    kind: fc.constantFrom("merge" as const, "squash" as const, "rebase" as const),
    pull: fc.nat(9),
  }),
  fc.record({ kind: fc.constant("pick" as const), pull: fc.nat(9) }),
  fc.record({ kind: fc.constant("revert" as const), what: fc.nat(9), says }),
  fc.record({ kind: fc.constant("undo" as const), what: fc.nat(9), says }),
  fc.record({ kind: fc.constant("context" as const), line: fc.nat(9) }),
);

/** A change of code in the story: its commits, and the stamps that these write. */
type Played = { change: CodeChange; stamps: string[]; branch: string | null; isMerged: boolean };

const GAP = 6;
const SLOTS = 60;

/**
 * Plays a story in a real repository: main, pull requests from it, and a branch `release` that picks some of them. Each commit of a change
 * writes a stamp of its own in a slot of a shared file, so that the file says what is there. `context` changes a line beside a slot.
 */
class Story {
  readonly repository: Repository;
  readonly played: Played[] = [];
  /** Commits of main that can be reverted, and reverts that can be undone. */
  readonly #reverts: { sha: string; isMerge: boolean }[] = [];
  readonly #mains: { sha: string; isMerge: boolean }[] = [];
  #slots = 0;
  #names = 0;

  constructor() {
    this.repository = makeRepository();
    this.repository.commit({ "app.txt": `${this.#blank().join("\n")}\n` }, "app");
    this.repository.git("branch", "release");
  }

  #blank(): string[] {
    return Array.from({ length: SLOTS * GAP }, (_, index) => `line ${index}`);
  }

  #text(): string[] {
    return this.repository.git("show", "HEAD:app.txt").split("\n");
  }

  /** Changes one line of the file, and commits. */
  #write(line: number, text: string): string {
    const lines = this.#text();
    lines[line] = text;
    return this.repository.commit({ "app.txt": `${lines.join("\n")}\n` }, `line ${line}: ${text}`);
  }

  /** Writes a stamp that is nowhere else. */
  #stamp(): { sha: string; stamp: string } | null {
    if (this.#slots >= SLOTS - 1) return null;
    const slot = this.#slots++;
    const stamp = `stamp-${slot}-end`;
    return { sha: this.#write(slot * GAP + 3, stamp), stamp };
  }

  /** Runs something that may conflict; if it does, nothing is left of it. */
  #try(act: () => void, abort: string[]): boolean {
    try {
      act();
      return true;
    } catch {
      try {
        this.repository.git(...abort);
      } catch {
        this.repository.git("reset", "--quiet", "--hard");
      }
      return false;
    }
  }

  #pull(index: number): Played | null {
    const open = this.played.filter(({ branch, isMerged }) => branch !== null && !isMerged);
    return open.length === 0 ? null : (open[index % open.length] ?? null);
  }

  play(step: Step): void {
    const { repository } = this;
    repository.checkout("main");
    switch (step.kind) {
      case "commit": {
        const made = this.#stamp();
        if (made === null) return;
        this.#mains.push({ sha: made.sha, isMerge: false });
        this.played.push({
          change: { kind: "commit", sha: made.sha },
          stamps: [made.stamp],
          branch: null,
          isMerged: true,
        });
        return;
      }
      case "pull": {
        const branch = `pull-${this.#names++}`;
        repository.branch(branch);
        const made = Array.from({ length: step.commits }, () => this.#stamp()).filter(
          (each) => each !== null,
        );
        if (made.length === 0) return;
        const shas = made.map(({ sha }) => sha);
        this.played.push({
          change: { kind: "pull_request", number: this.#names, shas, mergeCommit: null },
          stamps: made.map(({ stamp }) => stamp),
          branch,
          isMerged: false,
        });
        return;
      }
      case "merge": {
        const pull = this.#pull(step.pull);
        if (pull?.branch == null) return;
        repository.git("merge", "--quiet", "--no-ff", "-m", `Merge ${pull.branch}`, pull.branch);
        this.#mains.push({ sha: repository.tip(), isMerge: true });
        pull.isMerged = true;
        return;
      }
      case "squash": {
        const pull = this.#pull(step.pull);
        if (pull?.branch == null) return;
        repository.git("merge", "--quiet", "--squash", pull.branch);
        this.#mains.push({ sha: repository.commit({}, `Squash ${pull.branch}`), isMerge: false });
        pull.isMerged = true;
        return;
      }
      case "rebase": {
        const pull = this.#pull(step.pull);
        if (pull?.branch == null) return;
        const before = repository.tip();
        repository.branch(`rebased-${this.#names++}`, pull.branch);
        const rebased = this.#try(() => repository.git("rebase", "--quiet", "main"), ["rebase", "--abort"]);
        const tip = repository.tip();
        repository.checkout("main");
        if (!rebased) return;
        repository.git("merge", "--quiet", "--ff-only", tip);
        for (const sha of repository.git("rev-list", `${before}..main`).split("\n"))
          if (sha !== "") this.#mains.push({ sha, isMerge: false });
        pull.isMerged = true;
        return;
      }
      case "pick": {
        const pulls = this.played.filter(({ change }) => change.kind === "pull_request");
        const pull = pulls[step.pull % Math.max(1, pulls.length)];
        if (pull?.change.kind !== "pull_request") return;
        const { shas } = pull.change;
        repository.checkout("release");
        this.#try(() => repository.git("cherry-pick", ...shas), ["cherry-pick", "--abort"]);
        return;
      }
      case "revert":
      case "undo": {
        const among = step.kind === "revert" ? this.#mains : this.#reverts;
        const [taken] = among.length === 0 ? [] : among.splice(step.what % among.length, 1);
        if (taken === undefined) return;
        const parent = taken.isMerge ? ["-m", "1"] : [];
        const done = this.#try(
          () => repository.git("revert", "--no-edit", ...parent, taken.sha),
          ["revert", "--abort"],
        );
        if (!done) return;
        const subject = repository.git("show", "--no-patch", "--format=%s", taken.sha);
        const message = {
          sha: null,
          short: `Undo\n\nThis reverts commit ${taken.sha.slice(0, 12)} ("${subject}").`,
          subject: `Revert "${subject}" (#${100 + this.#names++})`,
          nothing: "Tidy up",
        }[step.says];
        if (message !== null) repository.git("commit", "--quiet", "--amend", "-m", message);
        this.#reverts.push({ sha: repository.tip(), isMerge: false });
        return;
      }
      case "context": {
        const slot = step.line % SLOTS;
        const lines = this.#text();
        const at = slot * GAP + 1;
        this.#write(at, `${lines[at]}+`);
      }
    }
  }

  /** Which stamps are in the file of a commit. */
  stampsIn(sha: string): ReadonlySet<string> {
    return new Set(this.repository.git("show", `${sha}:app.txt`).match(/stamp-\d+-end/g) ?? []);
  }
}

describe("histories", { skip: WITHOUT_GIT }, () => {
  it("say of each change what the files say: it is present where all that it writes is there", async () => {
    let stories = 0;
    const seen = { present: 0, absent: 0, reverted: 0, unknown: 0, pending: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const story = new Story();
        try {
          for (const each of steps) story.play(each);
          const { repository, played } = story;
          const opened = await openMirror(join(base, `mirror-${stories++}`), { signal });
          assert.ok(opened.ok);
          const remote = { url: repository.url, credential: null, allowPrivate: true };
          assert.ok((await fetchMirror(opened.mirror, remote, { maxMegabytes: 100, signal })).ok);
          const branchTip = repository.tip("main");
          // The first commit is from before the file.
          const line = repository.git("rev-list", "--first-parent", "main").split("\n").slice(0, -1);
          // What is deployed: the newest of main, an older one (a rollback), and the release.
          for (const deployed of [
            branchTip,
            line[Math.floor(line.length / 2)] ?? branchTip,
            repository.tip("release"),
          ]) {
            const changes = played.map(({ change }) => change);
            const verdicts = await judgeChanges(opened.mirror, { changes, branchTip, deployed, signal });
            const stamps = story.stampsIn(deployed);
            for (const [index, { state, reason }] of verdicts.entries()) {
              const { stamps: own = [], change } = played[index] ?? {};
              const there = own.filter((stamp) => stamps.has(stamp)).length;
              seen[state]++;
              const about = JSON.stringify({ change, state, reason, there, all: own.length, deployed });
              // A part is neither there nor gone.
              if (state === "unknown") assert.ok(there > 0 && there < own.length, about);
              else assert.equal(state === "present", there === own.length, about);
            }
          }
        } finally {
          story.repository.remove();
        }
      }),
      { numRuns: rounds(25, 150), seed: seedOf() },
    );
    assert.ok(seen.present > 0 && seen.absent > 0 && seen.reverted > 0, JSON.stringify(seen));
  });
});
