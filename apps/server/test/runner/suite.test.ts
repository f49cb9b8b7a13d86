import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openKept } from "./kept.ts";
import { type Pool, runFiles } from "./pool.ts";
import { runSuite } from "./suite.ts";

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const newFolder = async (): Promise<string> => {
  const made = await mkdtemp(join(tmpdir(), "suite-"));
  folders.push(made);
  return made;
};

const TESTS = `
  import assert from "node:assert/strict";
  import { existsSync, readFileSync, writeFileSync } from "node:fs";
  import { createServer } from "node:net";
  import { after, before, describe, it } from "node:test";
`;

type PlayOptions = {
  flags?: readonly string[];
  fileTimeoutMs?: number;
  brief?: readonly string[];
  withinMs?: number;
};

/** Workers for files that are given as texts. */
async function poolFor(
  files: Readonly<Record<string, string>>,
  { flags = [], fileTimeoutMs = 60_000, brief = [], withinMs = Number.POSITIVE_INFINITY }: PlayOptions = {},
): Promise<Pool> {
  const root = await newFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), TESTS + text);
  const env = { ...process.env, MARK: join(root, "mark"), TIDINGS_TEST_GRACE_MS: "1000" };
  const { signal } = new AbortController();
  return {
    root,
    flags,
    env,
    folder: await newFolder(),
    fileTimeoutMs,
    brief: new Set(brief),
    endsAt: Date.now() + withinMs,
    signal,
  };
}

/** Runs files that are given as texts; answers what was printed, and what was kept. */
async function play(files: Readonly<Record<string, string>>, options?: PlayOptions) {
  const pool = await poolFor(files, options);
  const kept = openKept(join(pool.root, "kept"));
  const printed: string[] = [];
  const played = await runSuite(Object.keys(files), pool, kept, (text) => printed.push(text));
  return { ...played, kept, text: printed.join("\n") };
}

/** Runs files in one process, in this order; answers why each of them failed. */
async function playInOne(files: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const reasons: Record<string, string[]> = {};
  await runFiles(await poolFor(files), Object.keys(files), 1, ({ file, failures }) => {
    reasons[file] = failures.map(({ reason }) => reason);
  });
  return reasons;
}

describe("the runner", () => {
  it("is green where all tests pass, and keeps how long each file took", async () => {
    const { isGreen, kept, outcomes } = await play({
      "a.test.mjs": `describe("a", () => { it("one", () => {}); it("two", () => {}); });`,
      "b.test.mjs": `it("three", () => {}); it.skip("four", () => {});`,
    });
    assert.equal(isGreen, true);
    const sums = outcomes.toSorted((a, b) => a.file.localeCompare(b.file)).map(({ counts }) => counts);
    assert.deepEqual(sums, [
      { tests: 2, passed: 2, failed: 0, skipped: 0 },
      { tests: 2, passed: 1, failed: 0, skipped: 1 },
    ]);
    assert.deepEqual(Object.keys(kept.durations()).sort(), ["a.test.mjs", "b.test.mjs"]);
    assert.equal(kept.flaky().tests.length, 0);
  });

  it("runs a file that failed once more, and names what then passes as flaky", async () => {
    const { isGreen, kept, text } = await play({
      "flaky.test.mjs": `describe("luck", () => {
        it("comes second", () => {
          const isSecond = existsSync(process.env.MARK);
          writeFileSync(process.env.MARK, "");
          assert.equal(isSecond, true);
        });
      });`,
    });
    assert.equal(isGreen, true);
    assert.match(text, /FLAKY flaky\.test\.mjs: luck > comes second: Expected values to be strictly equal/);
    assert.equal(kept.flaky().tests.length, 1);
  });

  it("fails with what fails twice, with its place, its difference and its stack", async () => {
    const { isGreen, text, kept } = await play({
      "bad.test.mjs": `describe("sums", () => { it("are right", () => assert.deepEqual({ a: 1 }, { a: 2 })); });`,
    });
    assert.equal(isGreen, false);
    assert.match(text, /Failed: bad\.test\.mjs/);
    assert.match(text, /test at .*bad\.test\.mjs:\d+:\d+\n✖ are right/);
    assert.match(text, /\+ {3}a: 1\n\s*- {3}a: 2/);
    assert.match(text, /at .*bad\.test\.mjs:\d+:\d+/);
    assert.equal(kept.flaky().tests.length, 0);
  });

  const broken: [string, string, RegExp][] = [
    ["that throws after its tests were declared", `it("a", () => {}); throw new Error("torn");`, /torn/],
    ["whose hook fails", `before(() => { throw new Error("torn"); }); it("a", () => {});`, /torn/],
    ["whose last hook fails", `after(() => { throw new Error("torn"); }); it("a", () => {});`, /torn/],
    ["that ends the process", `it("a", () => process.exit(0));`, /its process ended \(0\)/],
    [
      "that rejects unseen",
      `it("a", () => { Promise.reject(new Error("torn")); return new Promise((r) => setTimeout(r, 50)); });`,
      /torn/,
    ],
    [
      "that leaves a server open",
      `it("a", () => { createServer().listen(0); });`,
      /leaves open: 1 TCPServerWrap/,
    ],
    [
      // The resolver of the system is asked for no name of this kind (RFC 6761).
      "that asks outside of this machine",
      `it("a", async () => { await fetch("http://nowhere.invalid").catch(() => {}); });`,
      /asks outside of this machine: nowhere\.invalid/,
    ],
    [
      "that never ends",
      `describe("long", () => { it("waits", () => new Promise(() => {})); });`,
      /✖ long > waits(.|\n)*took longer than 4 seconds/,
    ],
    ["that is none", `import "./nowhere.mjs";`, /Cannot find module/],
  ];
  for (const [name, text, pattern] of broken)
    it(`fails with a file ${name}, and goes on with the next one`, async () => {
      const files = { "broken.test.mjs": text, "good.test.mjs": `it("good", () => {});` };
      const fileTimeoutMs = name === "that never ends" ? 4_000 : 60_000;
      const { isGreen, text: printed, outcomes } = await play(files, { fileTimeoutMs });
      assert.equal(isGreen, false);
      assert.match(printed, pattern);
      assert.match(printed, /✔ good/);
      assert.equal(outcomes.length, 2);
    });

  it("tells the files that are played briefly, and no other one", async () => {
    const text = `it("is " + (process.env.TIDINGS_TEST_BRIEF ?? "whole"), () => {});`;
    const files = { "a.test.mjs": text, "b.test.mjs": text, "c.test.mjs": text };
    const played = await play(files, { brief: ["b.test.mjs"] });
    for (const [file, how] of [
      ["a", "whole"],
      ["b", "1"],
      ["c", "whole"],
    ])
      assert.match(played.text, new RegExp(`${file}\\.test\\.mjs \\([^)]*\\)\n✔ is ${how}`));
  });

  it("begins no file when its time is over, names those, and fails", async () => {
    const { isGreen, text, outcomes, kept } = await play(
      { "late.test.mjs": `it("a", () => {});` },
      { withinMs: 0 },
    );
    assert.deepEqual([isGreen, outcomes, kept.flaky().tests], [false, [], []]);
    assert.match(text, /Not begun, because the time of the run was over:\nlate\.test\.mjs/);
  });

  it("names what was green at once, all of it", async () => {
    const { greenAtOnce } = await play({
      "good.test.mjs": `it("a", () => {});`,
      "lacking.test.mjs": `it("a", () => {}); it("b", { skip: "no git here" }, () => {});`,
      "second.test.mjs": `it("b", () => {
        const isSecond = existsSync(process.env.MARK);
        writeFileSync(process.env.MARK, "");
        assert.equal(isSecond, true);
      });`,
    });
    assert.deepEqual(greenAtOnce, ["good.test.mjs"]);
  });

  it("passes flags on to Node", async () => {
    const { isGreen, outcomes } = await play(
      { "some.test.mjs": `it("this", () => {}); it("that", () => assert.fail());` },
      { flags: ["--test-name-pattern=this"] },
    );
    assert.equal(isGreen, true);
    assert.equal(outcomes[0]?.counts.tests, 1);
  });
});

describe("what files of one process share", () => {
  const importFrom = (name: string, path: string): string =>
    `const { ${name} } = await import("${new URL(path, import.meta.url)}");`;

  it("is nothing that they leave open, and excuses nothing that they do", async () => {
    const reasons = await playInOne({
      "shares.test.mjs": `${importFrom("leftOpen", "./left-open.ts")}
        it("opens", () => { createServer().listen(0); leftOpen.share(() => ({ TCPServerWrap: 1 })); });`,
      "leaves.test.mjs": `it("opens", () => { createServer().listen(0); });`,
      "good.test.mjs": `it("opens nothing", () => {});`,
    });
    assert.deepEqual(reasons, {
      "shares.test.mjs": [],
      "leaves.test.mjs": ["It leaves open: 1 TCPServerWrap"],
      "good.test.mjs": [],
    });
  });

  it("may be a house, whose connections each file gives back", async () => {
    const house = `${importFrom("sharedHouse", "../harness.ts")} const house = sharedHouse();`;
    const isTheSame = `it("is the same", async () => {
      assert.equal(house.url, readFileSync(process.env.MARK, "utf8"));
      const { api } = await house.project();
      assert.deepEqual((await api.listGoals()).goals, []);
    });`;
    const reasons = await playInOne({
      "first.test.mjs": `${house} it("opens", () => writeFileSync(process.env.MARK, house.url));`,
      "second.test.mjs": house + isTheSame,
      "keeps.test.mjs": `${house} it("connects", async () => { await house.database.pool.connect(); });`,
      "last.test.mjs": house + isTheSame,
    });
    assert.deepEqual(reasons, {
      "first.test.mjs": [],
      "second.test.mjs": [],
      "keeps.test.mjs": ["It leaves open: 1 PipeWrap"],
      "last.test.mjs": [],
    });
  });
});
