import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { commitOf, importCommits, judgeOne, mirrorsOf, pullOf } from "../../../../../test/judging.ts";
import { makeRepository, type Repository, WITHOUT_GIT } from "../../../../../test/peers/repository.ts";
import type { CodeChange, GitProof } from "../public.ts";

const mirrorOf = mirrorsOf();
let repository: Repository;
beforeEach(() => {
  if (WITHOUT_GIT === false) repository = makeRepository();
});
afterEach(() => repository?.remove());

const says = (shas: readonly string[]): string =>
  `Undo\n\n${shas.map((sha) => `This reverts commit ${sha}.`).join("\n")}\n`;

/** Commits beside each other, each of which says that it takes back all that were made before, in one merge; `base` is what they begin at. */
function makeOctopus(base: string, count: number, how: (sha: string) => string = (sha) => sha): void {
  const shas: string[] = [base];
  // Git lists the last one last, as its date is the oldest.
  for (let index = 0; index < count; index++)
    shas.push(
      ...importCommits(
        repository,
        [{ message: says(shas.map(how)), parents: [base], at: 1_700_000_000 - index }],
        `arm-${index}`,
      ),
    );
  importCommits(repository, [{ message: "Merge", parents: shas }]);
}

/** Judges a change, and waits until a timer that was set meanwhile has had its turn: it does not unless this lets go of the event loop. */
async function judged(change: CodeChange): Promise<GitProof["state"]> {
  const mirror = await mirrorOf(repository);
  const { promise: turn, resolve } = Promise.withResolvers<void>();
  const verdict = judgeOne(mirror, change, repository.tip("main"));
  setTimeout(resolve, 0);
  const first = await Promise.race([turn.then(() => "turn"), verdict.then(() => "verdict")]);
  assert.equal(first, "turn");
  return (await verdict).state;
}

describe("commits that are made to be hard to judge", { skip: WITHOUT_GIT }, () => {
  it("are judged once each: 60 beside each other, each of which takes back all before it", async () => {
    const base = repository.commit({ "a.txt": "a\n" });
    makeOctopus(base, 60);
    assert.equal(await judged(commitOf(base)), "reverted");
    assert.equal(await judged(pullOf(base)), "reverted");
  });

  it("are judged once each in a line: each takes back all before it, or the one before it", async () => {
    const base = repository.commit({ "a.txt": "a\n" });
    let message = says([base]);
    const all = [base];
    for (let index = 0; index < 40; index++) {
      const [sha = ""] = importCommits(repository, [{ message, parents: [all.at(-1) ?? ""] }]);
      all.push(sha);
      message = says(all);
    }
    assert.equal(await judged(commitOf(base)), "reverted");
    assert.equal(await judged(commitOf(all[40] ?? "")), "present");
  });

  it("are unknown where they go on and on", async () => {
    const base = repository.commit({}, "Nothing (#1)");
    // Each takes back the one before it.
    const names = Array.from({ length: 400 }, (_, index) => ({
      message: `Undo ${index} (#${index + 2})\n\nReverts #${index + 1}`,
      parents: [index === 0 ? base : index - 1],
    }));
    importCommits(repository, names);
    assert.equal(await judged(commitOf(base)), "unknown");
  });

  it("are no reverts of what comes later, or of each other", async () => {
    const base = repository.commit({ "a.txt": "a\n" }, "Base (#1)");
    const made = importCommits(repository, [
      { message: "One (#2)\n\nReverts #3", parents: [base], files: { "one.txt": "1\n" } },
      { message: "Two (#3)\n\nReverts #2", parents: [0], files: { "two.txt": "2\n" } },
      { message: "Three (#4)\n\nReverts #4\nReverts #1", parents: [1], files: { "three.txt": "3\n" } },
    ]);
    for (const sha of [base, ...made]) assert.equal(await judged(commitOf(sha)), "present");
  });

  it("may name thousands of commits, the same ones many times", async () => {
    const base = repository.commit({ "a.txt": "a\n" });
    const nowhere = Array.from({ length: 1_500 }, (_, index) => index.toString(16).padStart(40, "a"));
    const many = Array.from({ length: 40 }, (_, index) => ({
      message: says([...nowhere, ...nowhere.slice(0, 100).map(() => base)]),
      parents: [index === 0 ? base : index - 1],
    }));
    importCommits(repository, many);
    assert.equal(await judged(commitOf(base)), "reverted");
  });

  it("may all be the same, back and forth, thousands of times", async () => {
    const base = repository.commit({ "a.txt": "a\n" });
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      message: "Switch",
      parents: [index === 0 ? base : index - 1],
      files: { "a.txt": index % 2 === 0 ? "b\n" : "a\n" },
    }));
    const [first = "", second = ""] = importCommits(repository, many);
    assert.equal(await judged(commitOf(first)), "reverted");
    assert.equal(await judged(commitOf(second)), "present");
    assert.equal(await judged(pullOf(first)), "reverted");
  });

  it("are unknown where nobody waits for the answer any more", async () => {
    const base = repository.commit({ "a.txt": "a\n" });
    makeOctopus(base, 20);
    const mirror = await mirrorOf(repository);
    const controller = new AbortController();
    const verdict = judgeOne(mirror, commitOf(base), repository.tip("main"), controller.signal);
    setImmediate(() => controller.abort());
    assert.equal((await verdict).state, "unknown");
  });
});
