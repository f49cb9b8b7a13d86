import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { areasOf, isEverywhere, isTest } from "./areas.ts";
import { changedSince } from "./changes.ts";
import { chooseReached, chooseUnproven, slowness } from "./choose.ts";
import { readGreen, summing, writeGreen } from "./green.ts";
import { LOOKS_AT } from "./looks-at.ts";
import { createReaches } from "./reach.ts";
import { type Repository, readRepository } from "./repository.ts";
import { SLOW } from "./slow.ts";

const ROOT = new URL("../../../../../", import.meta.url).pathname;
const repository = readRepository(ROOT);
const reaches = createReaches(repository);
const tests = [...repository.keys()].filter(isTest);

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));
async function newFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "choice-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** A repository like this one in which one file says something else. */
const withChanged = (path: string): Repository => {
  const file = repository.get(path);
  assert.ok(file !== undefined, `${path} is there`);
  return new Map([...repository, [path, { ...file, text: Buffer.concat([file.text, Buffer.from("\n")]) }]]);
};

describe("the lists of tests", () => {
  it("name files and areas that there are", () => {
    const areaOf = areasOf(repository);
    const areas = new Set([...repository.keys()].map((path) => `${areaOf(path)}/`));
    const isFound = (part: string, among: Iterable<string>): boolean =>
      [...among].some((path) => path.startsWith(part));
    assert.deepEqual(
      SLOW.filter(({ files }) => !isFound(files, tests)),
      [],
    );
    for (const [files, parts] of LOOKS_AT)
      assert.deepEqual(
        [files, ...parts.filter((part) => !isFound(part, areas))].slice(isFound(files, tests) ? 1 : 0),
        [],
      );
  });

  it("say of every slow file what it looks at", () => {
    // One that lies in what all tests stand on looks at that, and the runner's own at the runner.
    const isOfAll = (test: string): boolean =>
      isEverywhere(test.replace(".test.", ".")) || test.startsWith("apps/server/test/runner/");
    const alone = tests.filter(
      (test) => slowness(test) !== null && !isOfAll(test) && reaches.areasSeenBy(test).length === 0,
    );
    assert.deepEqual(alone, []);
  });
});

describe("a change", () => {
  const cases: readonly (readonly [
    what: string,
    changed: string,
    reached: readonly string[],
    not: readonly string[],
  ])[] = [
    [
      "of an operation: its room, who calls it, and every endpoint",
      "apps/server/src/features/campaigns/goals/create-goal.ts",
      [
        "apps/server/src/features/campaigns/goals/goals.test.ts",
        "apps/server/test/every-endpoint.test.ts",
        "e2e/dashboard-goals.test.ts",
      ],
      ["apps/server/src/features/extracts/extracts.test.ts", "e2e/journey.test.ts"],
    ],
    [
      "of what a room offers to others: their tests too",
      "apps/server/src/features/statistics/public.ts",
      [
        "apps/server/src/features/statistics/properties.test.ts",
        "apps/server/src/features/deliveries/results/statistics.test.ts",
      ],
      ["apps/server/src/features/sources/git/judging/proof.test.ts", "e2e/dashboard-results.test.ts"],
    ],
    [
      "of the browser's script: tests in a browser that load it",
      "packages/web/src/index.ts",
      ["e2e/journey.test.ts", "e2e/queue.test.ts"],
      ["e2e/dashboard-goals.test.ts", "apps/server/src/features/campaigns/goals/goals.test.ts"],
    ],
    [
      "of a page: its test in a browser",
      "apps/dashboard/src/features/goals/pages.ts",
      ["e2e/dashboard-goals.test.ts", "e2e/dashboard-pages.test.ts"],
      ["e2e/dashboard-push.test.ts", "apps/server/test/every-endpoint.test.ts"],
    ],
    [
      "of a page of the docs: the test that runs it",
      "docs/audiences.md",
      ["apps/server/test/docs/audience.test.ts"],
      ["apps/server/test/docs/push.test.ts", "apps/server/test/docs/email.test.ts"],
    ],
    ["of one that is found from the root", "docs/email.md", ["apps/server/test/docs/email.test.ts"], []],
    [
      "of what tests share: those that import it",
      "apps/server/test/doctor/damages.ts",
      ["apps/server/test/doctor/doctor.test.ts"],
      ["apps/server/test/every-endpoint.test.ts"],
    ],
    [
      "of a file that is gone: its room's tests",
      "apps/server/src/features/campaigns/goals/gone.ts",
      ["apps/server/src/features/campaigns/goals/goals.test.ts"],
      ["apps/server/src/features/extracts/extracts.test.ts"],
    ],
    ["of what was made from other files: nothing", "packages/client/src/generated/schema.ts", [], tests],
    ["of a text about the house: nothing", "ARCHITECTURE.md", [], tests],
    ...["apps/server/src/platform/log.ts", "apps/server/migrations/0001_first.sql", "package-lock.json"].map(
      (path) => [`of ${path}: everything`, path, tests, []] as const,
    ),
    ["of the harness: everything", "apps/server/test/harness.ts", tests, []],
  ];
  for (const [what, changed, reached, not] of cases)
    it(what, () => {
      const isReached = (test: string): boolean => reaches.isReached(test, [changed]);
      for (const test of [...reached, ...not]) assert.ok(repository.has(test), `${test} is there`);
      assert.deepEqual(
        reached.filter((test) => !isReached(test)),
        [],
      );
      assert.deepEqual(not.filter(isReached), []);
    });

  it("reaches a test by itself, and the slow ones wholly that changed themselves", () => {
    const slow = "apps/server/test/faults/faults.test.ts";
    const { whole, left } = chooseReached(tests, [slow], reaches);
    assert.deepEqual([whole, left], [[slow], []]);
    const log = chooseReached(tests, ["apps/server/src/platform/log.ts"], reaches);
    assert.equal(log.whole.length + log.brief.length + log.left.length, tests.length);
    assert.ok(log.left.includes(slow));
  });
});

describe("the slow files of npm test", () => {
  const slow = "apps/server/test/launches/kills.test.ts";
  const brief = "apps/server/test/crash/crash.test.ts";
  const quick = "apps/server/test/grants.test.ts";
  const sumOf = summing(repository, reaches);
  const green = Object.fromEntries([slow, brief, quick].map((file) => [file, sumOf(file)]));
  it("stand on what the rooms need that they look at", () => {
    const found = reaches.foundationOf("e2e/dashboard-results.test.ts");
    assert.ok(found.includes("apps/server/src/features/statistics/public.ts"));
    assert.ok(!found.includes("apps/server/src/features/extracts/index.ts"));
  });

  it("stand on no sum of what was green", () => {
    const slowOnes = tests.filter((test) => SLOW.some(({ files }) => test.startsWith(files)));
    const found = slowOnes.filter((test) =>
      reaches.foundationOf(test).includes("apps/server/test/green.json"),
    );
    assert.deepEqual(found, []);
  });

  const choose = (now: Repository) =>
    chooseUnproven([slow, brief, quick], green, summing(now, createReaches(now)));

  it("are left out, or brief, where they were green with all that they stand on", () => {
    assert.deepEqual(choose(repository), { whole: [quick], brief: [brief], left: [slow] });
    assert.deepEqual(
      choose(withChanged("apps/server/src/features/audit/list-audit-entries.ts")),
      choose(repository),
    );
  });

  for (const path of [
    slow,
    "apps/server/src/features/launch/public.ts",
    "apps/server/src/platform/log.ts",
    "apps/server/test/rounds.ts",
  ])
    it(`are run where ${path} changed by a byte`, () => {
      assert.ok(choose(withChanged(path)).whole.includes(slow));
    });

  it("are run where a file is gone that they stand on, or where nothing is known of them", () => {
    const gone = new Map(repository);
    gone.delete("apps/server/src/features/launch/public.ts");
    assert.ok(choose(gone).whole.includes(slow));
    assert.deepEqual(chooseUnproven([slow, brief], {}, sumOf).whole, [slow, brief]);
  });

  it("are noted beside those that were green before, without those that are gone", async () => {
    const path = join(await newFolder(), "green.json");
    assert.deepEqual(readGreen(path), {});
    writeGreen(path, { "b.test.ts": "1", "gone.test.ts": "2" }, ["b.test.ts", "gone.test.ts"]);
    writeGreen(path, { "a.test.ts": "3" }, ["a.test.ts", "b.test.ts"]);
    assert.equal(await readFile(path, "utf8"), `{\n  "a.test.ts": "3",\n  "b.test.ts": "1"\n}\n`);
    assert.deepEqual(readGreen(path), { "a.test.ts": "3", "b.test.ts": "1" });
  });
});

describe("what has changed since a revision", () => {
  it("is what git says, committed or not, from the folder that is asked", async () => {
    const folder = await newFolder({
      "in/kept.ts": "1",
      "in/edited.ts": "1",
      "in/gone.ts": "1",
      "in/from.ts": "moved",
      "out.ts": "1",
    });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.example", ...args], { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
    await writeFile(join(folder, "in/edited.ts"), "2");
    await rm(join(folder, "in/gone.ts"));
    git("mv", "in/from.ts", "in/to.ts");
    await writeFile(join(folder, "in/new é.ts"), "");
    await writeFile(join(folder, "out.ts"), "2");
    const uncommitted = ["in/edited.ts", "in/from.ts", "in/gone.ts", "in/new é.ts", "in/to.ts"];
    const changed = (revision: string) =>
      changedSince(join(folder, "in"), revision)
        .map((path) => `in/${path}`)
        .sort();
    assert.deepEqual(changed("HEAD"), uncommitted);
    git("add", ".");
    git("commit", "-qm", "second");
    assert.deepEqual([changed("HEAD"), changed("HEAD~1")], [[], uncommitted]);
    assert.throws(() => changed("nowhere"), /nowhere/);
  });
});
