import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { commitOf, importCommits, mirrorsOf, pullOf } from "../../../../../test/judging.ts";
import { makeRepository, type Repository, WITHOUT_GIT } from "../../../../../test/peers/repository.ts";
import { type CodeChange, judgeChanges } from "../public.ts";

const mirrorOf = mirrorsOf();
let repository: Repository;
beforeEach(() => {
  if (WITHOUT_GIT === false) repository = makeRepository();
});
afterEach(() => repository?.remove());

const stateOf = async (...changes: CodeChange[]): Promise<string[]> => {
  const deployed = repository.tip("main");
  const question = { changes, branchTip: deployed, deployed, signal: new AbortController().signal };
  return (await judgeChanges(await mirrorOf(repository), question)).map(({ state }) => state);
};

/** Reverts a commit, and says something else about it. */
function revert(sha: string, message: string, ...more: string[]): string {
  repository.git("revert", "--no-edit", ...more, sha);
  repository.git("commit", "--quiet", "--amend", "-m", message);
  return repository.tip();
}

/** A change in the middle of a file, with lines around it. */
const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}`);
const withLines = (changed: Readonly<Record<number, string>>): string =>
  `${LINES.map((line, index) => changed[index] ?? line).join("\n")}\n`;

describe("what was taken back", { skip: WITHOUT_GIT }, () => {
  const ways: [how: string, says: (sha: string) => string][] = [
    ["by the SHA that git writes", (sha) => `Revert "Add dark mode (#12)"\n\nThis reverts commit ${sha}.`],
    [
      "by a reference",
      (sha) => `Undo\n\nThis reverts commit ${sha.slice(0, 7)} (Add dark mode, 2026-01-01).`,
    ],
    ["by twelve digits", (sha) => `Undo\n\nThis reverts commit ${sha.slice(0, 12)} ("Add dark mode").`],
    ["by GitHub's button", () => 'Revert "Add dark mode (#12)" (#13)\n\nReverts acme/web#12'],
    ["by its title alone", () => 'Revert "Add dark mode (#12)" (#13)'],
    ["by GitLab's button", () => 'Revert "Add dark mode"\n\nThis reverts merge request !12'],
    ["by Azure's button", () => 'Revert "Merged PR 12: Add dark mode"\n\nReverts !12'],
    ["by no word", () => "Tidy up"],
  ];
  // With other lines nearby the patches differ, and with none its files are as they were.
  for (const [how, says] of ways)
    for (const isMoved of /button|word/.test(how) ? [false, true] : [false])
      it(`is known ${how}${isMoved ? ", where lines nearby have moved" : ""}, and so is what brings it back`, async () => {
        repository.commit({ "app.txt": withLines({}) }, "App");
        const sha = repository.commit({ "app.txt": withLines({ 10: "dark" }) }, "Add dark mode (#12)");
        const other = { 12: "twelve" };
        if (isMoved) repository.commit({ "app.txt": withLines({ 10: "dark", ...other }) }, "Nearby");
        const last = revert(sha, says(sha));
        repository.commit({ "later.txt": "later" });
        assert.deepEqual(await stateOf(commitOf(sha), pullOf(sha)), ["reverted", "reverted"]);
        const again = revert(
          last,
          how === "by no word" ? "Tidy up more" : 'Reapply "Add dark mode (#12)" (#14)',
        );
        assert.deepEqual(await stateOf(commitOf(sha), pullOf(sha)), ["present", "present"]);
        if (how !== "by no word") return;
        revert(again, "Enough");
        assert.deepEqual(await stateOf(commitOf(sha)), ["reverted"]);
      });

  for (const merged of ["merge", "squash", "rebase"] as const)
    for (const says of ['Revert "Dark mode" (#2)\n\nReverts acme/web#1', "Tidy up"])
      it(`is known of a pull request by ${merged}, with ${JSON.stringify(says.slice(0, 12))}`, async () => {
        repository.branch("feature");
        const shas = [repository.commit({ "a.txt": "a\n" }), repository.commit({ "b.txt": "b\n" })];
        repository.checkout("main");
        repository.commit({ "c.txt": "c\n" });
        if (merged === "merge")
          repository.git(
            "merge",
            "--quiet",
            "--no-ff",
            "-m",
            "Merge pull request #1 from acme/dark",
            "feature",
          );
        if (merged === "squash") {
          repository.git("merge", "--quiet", "--squash", "feature");
          repository.commit({}, "Dark mode (#1)");
        }
        if (merged === "rebase") repository.git("cherry-pick", ...shas);
        const mergeCommit = repository.tip();
        const hosted: CodeChange = { kind: "pull_request", number: 1, shas, mergeCommit };
        assert.deepEqual(await stateOf(pullOf(...shas), hosted), ["present", "present"]);
        // All that the pull request brought, with one commit.
        repository.git("rm", "--quiet", "a.txt", "b.txt");
        const undone = repository.commit({}, says);
        assert.deepEqual(await stateOf(pullOf(...shas), hosted), ["reverted", "reverted"]);
        revert(undone, "Once more");
        assert.deepEqual(await stateOf(pullOf(...shas), hosted), ["present", "present"]);
      });

  it("is not what a message only speaks of, and what the files of a pull request's message still have", async () => {
    const sha = repository.commit({ "a.txt": "a\n" }, "Add dark mode (#12)");
    for (const [index, message] of [
      `Fix the crash since somebody reverts commit ${sha}`,
      `Add tests\n\n> This reverts commit ${sha}.`,
      `Add B (#20)\n\n* Revert "Add dark mode (#12)"\n\nThis reverts commit ${sha}.\n\n* Reapply "Add dark mode (#12)"`,
      'Revert "Add dark mode (#12)" (#21)\n\nReverts acme/other#12',
      `Undo\n\nThis reverts commit ${sha.slice(0, 6)}.`,
      `Undo\n\nThis reverts commit ${sha.slice(0, 11)}${sha[11] === "0" ? "1" : "0"}.`,
    ].entries())
      repository.commit({ [`${index}.txt`]: `${index}\n` }, message);
    repository.branch("side");
    repository.commit({ "side.txt": "side\n" });
    repository.checkout("main");
    repository.git("merge", "--quiet", "--no-ff", "-m", `Merge side\n\nThis reverts commit ${sha}.`, "side");
    assert.deepEqual(await stateOf(commitOf(sha)), ["present"]);
  });

  it("is nothing that a branch does which was never merged", async () => {
    const sha = repository.commit({ "a.txt": "a\n" }, "Add dark mode");
    repository.branch("undo");
    revert(sha, "Tidy up");
    repository.checkout("main");
    repository.commit({ "b.txt": "b\n" });
    assert.deepEqual(await stateOf(commitOf(sha)), ["present"]);
  });

  it("is nothing that is of the same patch, and of other lines, or other blanks", async () => {
    const twice = (first: string, second: string) => withLines({ 4: first, 5: "{", 20: second, 21: "{" });
    repository.commit({ "app.txt": twice("x", "y") }, "App");
    repository.commit({ "app.txt": twice("x", "dark") }, "Y");
    const sha = repository.commit({ "app.txt": twice("dark", "dark") }, "Add dark mode");
    // Takes back another one that says the same.
    repository.commit({ "app.txt": twice("dark", "x") }, "Less of it");
    const indented = repository.commit({ "app.txt": twice("  dark", "x") }, "Indent");
    repository.commit({ "app.txt": twice("    dark", "x") }, "Indent more");
    assert.deepEqual(await stateOf(commitOf(sha), commitOf(indented)), ["present", "present"]);
  });

  it("is decided by the files where a switch goes back and forth", async () => {
    const shas = ["off", "on", "off", "on", "off", "on"].map((state, index) =>
      repository.commit({ "flag.txt": `${state}\n` }, `Switch ${index}`),
    );
    const [, first = "", off = "", second = "", , last = ""] = shas;
    const now = () => stateOf(commitOf(first), commitOf(off), commitOf(second), commitOf(last));
    assert.deepEqual(await now(), ["present", "reverted", "present", "present"]);
    repository.commit({ "flag.txt": "off\n" }, "Switch 6");
    assert.deepEqual(await now(), ["reverted", "present", "reverted", "reverted"]);
  });

  it("is not what was moved, is empty, or is done beside much else", async () => {
    const empty = repository.commit({}, "Nothing");
    repository.commit({}, "Nothing again");
    const sha = repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    repository.git("mv", "dark.css", "themes.css");
    repository.commit({}, "Rename");
    assert.deepEqual(await stateOf(commitOf(sha), commitOf(empty)), ["present", "present"]);
  });
});

describe("a pull request that was merged long ago", { skip: WITHOUT_GIT }, () => {
  /** A pull request of two commits, squashed, and 6,000 commits since that change another file, or the same one. */
  function longAgo(files: (index: number) => Record<string, string>) {
    repository.commit({ "app.txt": withLines({}) }, "App");
    repository.branch("feature");
    const shas = [
      repository.commit({ "app.txt": withLines({ 10: "dark" }) }, "Begin"),
      repository.commit({ "app.txt": withLines({ 10: "dark", 14: "mode" }) }, "Go on"),
    ];
    repository.checkout("main");
    repository.commit({ "app.txt": withLines({ 8: "eight" }) }, "Nearby");
    const text = withLines({ 8: "eight", 10: "dark", 14: "mode" });
    const mergeCommit = repository.commit({ "app.txt": text }, "Dark mode (#1)");
    const many = Array.from({ length: 6_000 }, (_, index) => ({
      message: `Commit ${index}`,
      parents: [index === 0 ? mergeCommit : index - 1],
      files: files(index),
    }));
    importCommits(repository, many);
    return { shas, mergeCommit };
  }

  it("is found, also where its host does not say as what", async () => {
    const { shas, mergeCommit } = longAgo((index) => ({ "log.txt": `${index}\n` }));
    const hosted: CodeChange = { kind: "pull_request", number: 1, shas, mergeCommit };
    assert.deepEqual(await stateOf(hosted, pullOf(...shas)), ["present", "present"]);
  });

  it("is found where its file is changed all the time, and its host says as what", async () => {
    const { shas, mergeCommit } = longAgo((index) => ({
      "app.txt": withLines({ 8: "eight", 20: `${index}` }),
    }));
    const hosted: CodeChange = { kind: "pull_request", number: 1, shas, mergeCommit };
    // Where it was squashed is looked for from where it began.
    assert.deepEqual(await stateOf(hosted, pullOf(...shas)), ["present", "present"]);
  });
});
