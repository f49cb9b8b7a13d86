import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { claimOf, shaOf } from "./claims-of-tests.ts";
import { draftPlainly2 } from "./plain-2.ts";

/** The title under which a commit is announced; null where it is not. */
function titleOf(message: string): string | null {
  const [op] = draftPlainly2(claimOf(message)).ops;
  return op?.op === "create" ? op.campaign.name : null;
}

/** What users notice, and what they read of it. */
const ANNOUNCED: readonly (readonly [subject: string, title?: string])[] = [
  ["Add dark mode"],
  ["add dark mode", "Add dark mode"],
  ["Update the dependency graph view"],
  ["Update dependency graph"],
  ["Update dependencies between tasks"],
  ["Add dependency arrows to the timeline"],
  ["Bump the upload limit to 2 GB"],
  ["Bump upload limit from 1 to 2"],
  ["Bump limits and prices for teams"],
  ["Bump the free trial from 14 to 30 days"],
  ["Update prices to 9.99"],
  ["Upgrade to the new editor"],
  ["Upgrade plans from 5 to 10 users"],
  ["Update the call to action on the start page"],
  ["Update the billing group settings"],
  ["Version history for documents"],
  ["Version 2 of the editor"],
  ["Release notes in the app"],
  ["Release 2 of the planner"],
  ["Publish pages with one click"],
  ["2.0 is here: faster exports"],
  ["1.5x playback speed"],
  ["404 page with a search"],
  ["24/7 support by chat"],
  ["Two-factor sign-in"],
  ["UTF-8 names in exports"],
  ["SHA-256 checksums of downloads"],
  ["ISO-8601 dates in reports"],
  ["Merge duplicate contacts"],
  ["Merge cells in tables"],
  ["Merge accounts into teams"],
  ["Automatic merge of duplicates"],
  ["Revert to an earlier version of a document"],
  ["Revert changes with one click"],
  ["Lock files while someone edits them"],
  ["Lock file sharing for guests"],
  ["WIP limits for boards"],
  ["Work in progress limits on boards"],
  ["Pin messages to the top"],
  ["Pin conversations"],
  ["Roll dice in chats"],
  ["Fixes for slow search"],
  ["Fix typos as you write"],
  ["Comments"],
  ["Review comments in the margin"],
  ["Initial commit of drafts to the archive"],
  ["Support Node.js 22"],
  ["Test sends to yourself"],
  ["Build your own dashboard"],
  ["Docs: now with search", ""],
  ["Reports: export as CSV"],
  ["iOS app for the field team"],
  ["Show © notices in the footer"],
  ["feat(scope)!: add dark mode", "Add dark mode"],
  ["fix: the menu closes again", "The menu closes again"],
  ["feat(docs): search the help", "Search the help"],
  ["perf: load pages faster", "Load pages faster"],
  ["[Feature] Dark mode", "Dark mode"],
  ["Feature/dark mode", "Dark mode"],
  ["✨ feat: dark mode", "Dark mode"],
  [":sparkles: Dark mode", "Dark mode"],
  ["♿️ Larger letters", "Larger letters"],
  ["ABC-123: dark mode", "Dark mode"],
  ["[JIRA-1] Dark mode", "Dark mode"],
  ["[ABC-1, ABC-2] Dark mode", "Dark mode"],
  ["ABC-123 Dark mode", "Dark mode"],
  ["feat: ABC-123 Dark mode", "Dark mode"],
  ["Dark mode (#12)", "Dark mode"],
  ["Dark mode (#12) (!13)", "Dark mode"],
  ["Dark mode, closes #12", "Dark mode"],
  ["Dark mode (fixes acme/web#12, #13)", "Dark mode"],
  ["Dark mode - ABC-12", "Dark mode"],
  ["Dark mode. [skip ci]", "Dark mode"],
  ["Dark mode :tada:", "Dark mode"],
  ["Dark mode Signed-off-by: Ada <ada@example.com>", "Dark mode"],
  ["Merged PR 12: Dark mode", "Dark mode"],
  ['Reapply "Dark mode (#12)" (#14)', "Dark mode"],
  ['Revert "Revert "Dark mode""', "Dark mode"],
];

/** What programs and developers write for themselves. */
const SKIPPED = [
  "Bump x from 1 to 2",
  "Bump lodash from 4.17.20 to 4.17.21",
  "Bump @types/node from 22.1.0 to 22.2.0 in /apps/web",
  "Bump express-rate-limit from 7.1.0 to 7.2.0",
  "Bump actions/checkout from 3 to 4",
  "Bump minimist and mkdirp",
  "Bump lodash to 4.17.21",
  "Bump the npm_and_yarn group across 1 directory with 2 updates",
  "Bump vite from 5.0.0 to 5.0.1 in the dev group across 1 directory",
  "Update requests requirement from ~=2.30 to ~=2.31",
  "chore(deps): bump semver from 5.7.1 to 5.7.2",
  "fix(deps): update dependency zod to v4",
  "build(deps-dev): bump vitest",
  "Update dependency react to v18.3.1",
  "Update dependency react to v18.3.1 [SECURITY]",
  "Update react monorepo to v19 (major)",
  "Update actions/checkout action to v4",
  "Update postgres Docker tag to v17",
  "Update Rust crate serde to 1.0.219",
  "Update module github.com/spf13/cobra to v1.9.1",
  "Update node.js digest to 1a2b3c4",
  "Update all non-major dependencies",
  "Update dependencies",
  "Pin dependencies",
  "Dependency updates",
  "Lock file maintenance",
  "lockfile maintenance",
  "Update package-lock.json",
  "Configure Renovate",
  "⬆️ Upgrade everything",
  ":arrow_up: typescript",
  "v1.2.3",
  "1.4.0 (#12)",
  "1.0.0-rc.1",
  "2026-11-25",
  "Release 1.2.3",
  "Release v2.0.0-beta.3",
  "chore: release 1.2.3",
  "chore(main): release 2.1.0",
  "Bump version to 1.2.3",
  "Version bump",
  "Version Packages",
  "Prepare for the next release",
  "@acme/web@1.2.3",
  "🔖 Dark mode",
  "Merge pull request #12 from acme/dark-mode",
  "Merge branch 'main' into dark-mode",
  "Merge remote-tracking branch 'origin/main'",
  "Merge main into feature",
  "Merge branch main",
  "Merged in feature/dark-mode (pull request #12)",
  'Revert "Add dark mode (#12)" (#13)',
  "Revert commit 1a2b3c4",
  "revert: feat: dark mode",
  "Fixes #99",
  "fix #99",
  "closes acme/web#12, #13",
  "ABC-123",
  "#12",
  "wip",
  "WIP: dark mode",
  "fixup! Add dark mode",
  "chore: tidy up",
  "docs: how to install",
  "test(api): more cases",
  "[ci] cache more",
  "fix(ci): cache more",
  "Fix typo",
  "Address review comments",
  "Update README.md",
  "Initial commit",
  "Co-authored-by: Ada <ada@example.com>",
  "",
];

describe("plain@2", () => {
  it("announces what users notice, without the marks of trackers and conventions", () => {
    for (const [subject, title = subject] of ANNOUNCED) assert.equal(titleOf(subject) ?? "", title, subject);
  });

  it("leaves out updates of dependencies, versions, merges, and what developers write for themselves", () => {
    for (const subject of SKIPPED) assert.equal(titleOf(subject), null, subject);
  });

  it("reads the same title behind and before any marks", () => {
    const before = ["", "feat: ", "fix(ui)!: ", "ABC-123: ", "[JIRA-1] ", "✨ ", ":bug: ", "(#7) ", "[Fix] "];
    const behind = [
      "",
      " (#12)",
      " (fixes #9)",
      ", closes ABC-1",
      " [skip ci]",
      " (#1) (#2)",
      " :tada:",
      ".",
    ];
    const titles = ANNOUNCED.map(([, title]) => title).filter((title) => title !== undefined && title !== "");
    fc.assert(
      fc.property(
        fc.constantFrom(
          ...titles,
          ...ANNOUNCED.flatMap(([title, other]) => (other === undefined ? [title] : [])),
        ),
        fc.array(fc.constantFrom(...before), { maxLength: 3 }),
        fc.uniqueArray(fc.constantFrom(...behind), { maxLength: 2 }),
        (title, first, last) => {
          const subject = `${first.join("")}${title}${last.join("")}`;
          assert.equal(titleOf(subject), titleOf(title ?? ""), subject);
        },
      ),
      { numRuns: 2_000 },
    );
    for (const subject of SKIPPED.filter((each) => each !== ""))
      for (const more of [" (#12)", " [skip ci]"])
        assert.equal(titleOf(subject + more), null, subject + more);
  });

  it("reads on where a host has cut a title, and no further", () => {
    assert.equal(
      titleOf("Add dark mode for the settings page and the edi…\n\n…tor (#12)"),
      "Add dark mode for the settings page and the editor",
    );
    assert.equal(titleOf("Add dark mode\n\nFor tired eyes."), "Add dark mode");
  });

  it("announces several commits in one draft, which names each once, and skips the rest", () => {
    const { ops } = draftPlainly2(
      claimOf("✨ Add dark mode (#12)", "feat: add dark mode", "Bump x from 1 to 2", "ABC-1: export reports"),
    );
    const [create, skip] = ops;
    assert.ok(create?.op === "create" && skip?.op === "skip");
    assert.deepEqual(create.campaign, {
      name: "Add dark mode and 1 more",
      channel: "web_inapp",
      message: { presentation: "toast", title: "What is new", body: "• Add dark mode\n• Export reports" },
    });
    assert.deepEqual([create.shas, skip.shas], [[shaOf(1), shaOf(2), shaOf(4)], [shaOf(3)]]);
  });

  it("reads whatever commits say", () => {
    const parts = [
      "feat: ",
      "ABC-1 ",
      "#1 ",
      "(#1)",
      "✨",
      " to ",
      "v1.",
      "bump ",
      "a/b#",
      " in ",
      '"',
      "…",
      "\u0000",
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ unit: "binary" })), { maxLength: 20 }),
        (some) => {
          const { ops } = draftPlainly2(claimOf(some.join("")));
          assert.equal(ops.length, 1);
        },
      ),
    );
    for (const part of parts) titleOf(part.repeat(20_000));
  });

  it("comes to an end, however a commit repeats itself", () => {
    const parts = [
      "#1 ",
      "#1,",
      "#1 & ",
      "ABC-1 ",
      "(#1) ",
      "https://a.example ",
      "https://a.example,",
      "closes ",
      "and ",
      "v1.",
      "1-",
      "1 (",
      "rc1 ",
      "-rc",
      "beta",
      "release ",
      "version ",
      "bump ",
      "update the ",
      "to v1.0.0 ",
      "a/",
      "a@1",
      "a, ",
      "node ",
      "dependency ",
      "merge ",
      'revert "',
      "feat(",
      "x(deps ",
      ":a:",
      "⬆️",
      "- ",
    ];
    // A pattern that tries every way to divide such a line would not end within the life of the test.
    for (const one of parts)
      for (const other of parts) titleOf(`${(one + other).repeat(100).slice(0, 499)}§`);
  });
});
