import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { openKept } from "./kept.ts";
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
  import { existsSync, writeFileSync } from "node:fs";
  import { createServer } from "node:net";
  import { after, before, describe, it } from "node:test";
`;

/** Runs files that are given as texts; answers what was printed, and what was kept. */
async function play(
  files: Readonly<Record<string, string>>,
  { flags = [], fileTimeoutMs = 60_000 }: { flags?: readonly string[]; fileTimeoutMs?: number } = {},
) {
  const root = await newFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), TESTS + text);
  const kept = openKept(join(root, "kept"));
  const printed: string[] = [];
  const env = { ...process.env, MARK: join(root, "mark"), TIDINGS_TEST_GRACE_MS: "1000" };
  const { signal } = new AbortController();
  const pool = { root, flags, env, folder: await newFolder(), fileTimeoutMs, signal };
  const { outcomes, isGreen } = await runSuite(Object.keys(files), pool, kept, (text) => printed.push(text));
  return { outcomes, isGreen, kept, text: printed.join("\n") };
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

  it("passes flags on to Node", async () => {
    const { isGreen, outcomes } = await play(
      { "some.test.mjs": `it("this", () => {}); it("that", () => assert.fail());` },
      { flags: ["--test-name-pattern=this"] },
    );
    assert.equal(isGreen, true);
    assert.equal(outcomes[0]?.counts.tests, 1);
  });
});
