import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergedPullRequests, revertClaims, subjectKey } from "./claims.pure.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";
const OTHER = "89abcdef0123456789abcdef0123456789abcdef";
const SHORT = SHA.slice(0, 12);

/** What a message names: commits, pull requests, subjects. */
function named(message: string): [string[], number[], string[]] {
  const { shas, numbers, subjects } = revertClaims(message);
  return [[...shas], [...numbers], subjects.map(({ key }) => key)];
}

describe("revertClaims", () => {
  const says: [message: string, shas: string[], numbers: number[]][] = [
    [`Revert "Add dark mode"\n\nThis reverts commit ${SHA}.`, [SHA], []],
    [`Revert "Merge"\n\nThis reverts commit ${SHA}, reversing\nchanges made to ${OTHER}.`, [SHA], []],
    [`Undo\n\nThis reverts commit 1a2b3c4 (Add dark mode, 2026-01-01).`, ["1a2b3c4"], []],
    [`net: undo\n\nThis reverts commit ${SHORT} ("net: dark (mode)").`, [SHORT], []],
    [
      `Undo\n\nThis reverts commits ${SHORT} ("a"), 1a2b3c4 (b)\nand ${OTHER}.`,
      [SHORT, "1a2b3c4", OTHER],
      [],
    ],
    [`Undo\n\nThis reverts commits:\n- ${SHORT}\n- ${OTHER}\n`, [SHORT, OTHER], []],
    [`Undo two\n\nThis reverts commit ${SHA}.\nThis reverts commit ${OTHER}.`, [SHA, OTHER], []],
    [`Undo\n\nIt was slow. This reverts commit\n${SHA}.`, [SHA], []],
    [`Revert commit ${SHORT}`, [SHORT], []],
    [`Revert ${SHORT}: it was slow`, [SHORT], []],
    [`Backed out changeset ${SHORT} (bug 12) for failures`, [SHORT], []],
    [`revert: feat: dark mode\n\nThis reverts commit ${SHA.toUpperCase()}.`, [SHA], []],
    [`Revert "Add dark mode (#12)" (#13)\n\nReverts acme/web#12`, [], [12]],
    [`Revert "Add dark mode" (#13)\n\nReverts #12`, [], [12]],
    [`Revert "Add dark mode"\n\nThis reverts merge request !12`, [], [12]],
    [`Revert "Merged PR 12: Add dark mode"\n\nReverts !12`, [], [12]],
    ["Undo\n\nThis reverts pull request #12.", [], [12]],
    ["Undo\n\nReverts https://github.com/acme/web/pull/12", [], [12]],
    ["Undo\n\nReverts https://gitlab.com/acme/web/-/merge_requests/12", [], [12]],
    ['Revert "Dark mode (pull request #12)"', [], [12]],
    // What only speaks of it.
    [`Undo ${SHA}`, [], []],
    [`Fix the crash since somebody reverts commit ${SHA}`, [], []],
    [`Fix it\n\n> This reverts commit ${SHA}.`, [], []],
    [`Fix it\n\n    This reverts commit ${SHA}.`, [], []],
    [`Fix it\n\n\`\`\`\nThis reverts commit ${SHA}.\n\`\`\``, [], []],
    [`Fix it\n\nIt says "This reverts commit ${SHA}".`, [], []],
    [`Fix it\n\nThis does not revert commit ${SHA}.`, [], []],
    [`Fix it\n\nThis partially reverts commit ${SHA}.`, [], []],
    ["Undo\n\nThis reverts commit 1a2b3c.", [], []],
    ["Add dark mode (#12)\n\nCloses #11", [], []],
  ];
  for (const [message, shas, numbers] of says)
    it(`reads ${JSON.stringify(message.slice(0, 80))}`, () => {
      assert.deepEqual(named(message).slice(0, 2), [shas, numbers]);
    });

  it("reads what a subject quotes, and what is applied again", () => {
    assert.deepEqual(named('Revert "Add dark mode (#12)" (#13)')[2], ["Add dark mode"]);
    assert.deepEqual(named("revert: feat: dark mode")[2], ["feat: dark mode"]);
    assert.deepEqual(named('Revert "Revert "Add dark mode" (#13)" (#14)')[2], ['Revert "Add dark mode"']);
    assert.deepEqual(named('Reapply "Add dark mode (#12)" (#14)')[2], ['Revert "Add dark mode (#12)"']);
    assert.deepEqual(named("Add dark mode (#12)")[2], []);
  });

  it("tells messages that are about taking something back", () => {
    const subjects = [`Revert "A"`, 'Reapply "A"', "[app] fix(ui): revert A", "Undo A", "Roll back A"];
    for (const subject of subjects) assert.equal(revertClaims(subject).isRevert, true, subject);
    for (const subject of ["Add B (#20)", "Say what a revert is", "Merge branch 'revert-a'"])
      assert.equal(revertClaims(subject).isRevert, false, subject);
  });
});

describe("mergedPullRequests", () => {
  it("reads the pull request that a commit says it merges", () => {
    const subjects = [
      "Add dark mode (#12)",
      "Add dark mode (!12)",
      "Merge pull request #12 from acme/dark",
      "Merged PR 12: Add dark mode",
      "Merged in dark (pull request #12)",
      "Pull request #12: Dark mode",
      "Merge branch 'dark' into 'main'\n\nAdd dark mode\n\nSee merge request acme/web!12",
    ];
    for (const subject of subjects) assert.deepEqual(mergedPullRequests(subject), [12], subject);
    for (const subject of ["Fix #12", "Add 12 (12)", 'Revert "Add (#12)"'])
      assert.deepEqual(mergedPullRequests(subject), [], subject);
    assert.equal(subjectKey("Add dark mode (#12)\n\nIt is dark."), "Add dark mode");
  });
});
