import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { readMade } from "../../bin/bundle.mjs";

const ROOT = new URL("../../../..", import.meta.url).pathname;
const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The instructions of the Dockerfile, each on a line. */
const instructions = textOf("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replaceAll("\\\n", "")
  .split("\n");
const argumentsOf = (name: string): string[] =>
  instructions.flatMap((line) => (line.startsWith(`${name} `) ? line.slice(name.length + 1).trim() : []));

/** What the second stage takes of the first one, as paths of the repository. */
const copied = argumentsOf("COPY")
  .filter((line) => line.startsWith("--from=build "))
  .flatMap((line) => line.split(/\s+/).slice(1, -1))
  .map((path) => path.replace("/opt/tidings/", ""));

const MADE_THERE = ["node_modules", ".commit", "sbom.cdx.json"];

const ignoring = textOf(".dockerignore")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

/** Whether .dockerignore leaves a path out: the last line that fits it, or a folder that it is in, decides. */
function isIgnored(path: string): boolean {
  const parts = path.split("/");
  const folders = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  const fits = (line: string): boolean =>
    folders.some((folder) => matchesGlob(folder, line.replace(/^!/, "").replace(/\/$/, "")));
  return ignoring.findLast(fits)?.startsWith("!") === false;
}

describe("the image", () => {
  before(() => promisify(execFile)(process.execPath, [join(ROOT, "apps/server/scripts/build.ts")]));

  it("starts the server as npm start and the unit in the docs do", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: { start: string } };
    const started = scripts.start.replace(/^exec /, "");
    const [command = ""] = argumentsOf("CMD");
    assert.equal((JSON.parse(command) as string[]).join(" "), started);
    assert.ok(
      textOf("docs/self-hosting.md").includes(`\nExecStart=/opt/tidings/node_modules/.bin/${started}\n`),
    );
  });

  it("does not run as root, and has the Node.js that npm brings along", () => {
    assert.deepEqual(argumentsOf("USER"), ["node"]);
    const { dependencies } = JSON.parse(textOf("package.json")) as { dependencies: { node: string } };
    const [major] = dependencies.node.split(".");
    assert.deepEqual(argumentsOf("FROM"), [
      `node:${major}-bookworm-slim AS build`,
      `node:${major}-bookworm-slim`,
    ]);
  });

  it("has every source that its bundle was made from, and what it reads at run time", () => {
    const sources = (readMade(join(ROOT, "apps/server/dist"))?.sources ?? []).map(([path]) =>
      join("apps/server", path),
    );
    assert.ok(sources.length > 1000);
    const ours = sources.filter((path) => !path.includes("node_modules/"));
    const read = [
      "apps/server/migrations/0001_tenants.sql",
      "docs/audiences.md",
      "packages/web/package.json",
    ];
    for (const path of [...ours, ...read]) {
      assert.ok(!isIgnored(path), `${path} is ignored`);
      assert.ok(
        copied.some((each) => path === each || path.startsWith(`${each}/`)),
        `${path} is not copied`,
      );
    }
  });

  it("copies what there is", () => {
    assert.ok(copied.length > 8);
    for (const path of copied)
      if (!MADE_THERE.includes(path) && !path.endsWith("/dist"))
        assert.ok(existsSync(join(ROOT, path)) && !isIgnored(path), path);
  });

  it("takes no data, key, setting or history along", () => {
    for (const path of [
      "data/secret.key",
      "apps/server/data/postgres/PG_VERSION",
      ".env",
      ".env.production",
      "apps/server/.env",
      "backup/secret.key",
      "keys-01a22756.txt",
      "shop.ndjson",
      ".git/HEAD",
      "node_modules/pg/package.json",
      "apps/server/dist/made.json",
      "apps/server/test/harness.ts",
      "docs/backup.md",
    ])
      assert.ok(isIgnored(path), path);
  });
});
