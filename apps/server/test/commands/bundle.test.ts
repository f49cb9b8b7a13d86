import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, renameSync, truncateSync } from "node:fs";
import { cp, mkdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { createClient } from "@tidings/client";
import { digest, findBundle, glance, type MadeFrom, readMade } from "../../bin/bundle.mjs";
import { readBuild } from "../../src/platform/build.ts";
import { cleanUp, done, keysOf, migratedDataDir, newDataDir, serve, stop, tidingsAlone } from "./spawned.ts";

const ROOT = new URL("../../../..", import.meta.url).pathname;

after(cleanUp);

const run = promisify(execFile);
const build = (root: string) => run(process.execPath, [join(root, "apps/server/scripts/build.ts")]);

/** What a process loaded whose NODE_V8_COVERAGE was this folder: files of the server, as paths from `apps/server`. */
async function loadedBy(coverage: string): Promise<Set<string>> {
  const reports = readdirSync(coverage).map(
    (name) =>
      JSON.parse(readFileSync(join(coverage, name), "utf8")) as { result: readonly { url: string }[] },
  );
  await rm(coverage, { recursive: true });
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  return new Set(urls.flatMap((url) => /apps\/server\/((?:src|dist)\/.+)/.exec(url)?.[1] ?? []));
}

const isBundled = (loaded: Set<string>): boolean =>
  [...loaded].some((path) => /^dist\/\w+\/main\.js$/.test(path));

describe("what a bundle was made from", () => {
  let home: string;
  const source = () => join(home, "src/one.ts");
  before(async () => {
    home = await newDataDir();
  });

  async function make(): Promise<string> {
    await rm(home, { recursive: true });
    await mkdir(join(home, "dist/made"), { recursive: true });
    await mkdir(join(home, "src"));
    await writeFile(join(home, "dist/made/main.js"), "1;");
    for (const name of ["one", "two"]) await writeFile(join(home, `src/${name}.ts`), "const a = 1;");
    const sources = ["src/one.ts", "src/two.ts", "src/none.ts"].map(
      (path): MadeFrom => [path, glance(join(home, path)), digest(join(home, path))],
    );
    const made = { folder: "made", files: [["main.js", 2]], sources };
    await writeFile(join(home, "dist/made.json"), JSON.stringify(made));
    return join(home, "dist/made");
  }

  it("is found, in a copy too", async () => {
    const folder = await make();
    assert.equal(findBundle(home), folder);
    await utimes(source(), 1, 1);
    assert.equal(findBundle(home), folder);
    await cp(join(home, "src"), join(home, "copy"), { recursive: true });
    await rm(join(home, "src"), { recursive: true });
    renameSync(join(home, "copy"), join(home, "src"));
    assert.equal(findBundle(home), folder);
  });

  it("is missed where a source has changed, also with its size and date set back", async () => {
    await make();
    const { atime, mtime } = await stat(source());
    await writeFile(source(), "const a = 2;");
    await utimes(source(), atime, mtime);
    assert.equal(findBundle(home), null);
  });

  for (const [what, change] of Object.entries({
    removed: () => rm(source()),
    renamed: () => renameSync(source(), join(home, "src/other.ts")),
    exchanged: () => renameSync(join(home, "src/two.ts"), source()),
    added: () => writeFile(join(home, "src/none.ts"), ""),
    closed: async () => {
      await rm(source());
      await mkdir(source());
    },
  }))
    it(`is missed where a source was ${what}`, async () => {
      await make();
      await change();
      assert.equal(findBundle(home), null);
    });

  for (const [what, damage] of Object.entries({
    missing: () => rm(join(home, "dist"), { recursive: true }),
    "without its folder": () => rm(join(home, "dist/made"), { recursive: true }),
    "without a file": () => rm(join(home, "dist/made/main.js")),
    "with half a file": () => truncateSync(join(home, "dist/made/main.js"), 1),
    "with half a list": () => truncateSync(join(home, "dist/made.json"), 30),
    "with another list": () => writeFile(join(home, "dist/made.json"), "{}"),
  }))
    it(`is no bundle ${what}`, async () => {
      await make();
      await damage();
      assert.equal(findBundle(home), null);
    });
});

describe("a checkout", () => {
  let copy: string;
  const inServer = (path: string): string => join(copy, "apps/server", path);
  before(async () => {
    // Characters that mean something else in a URL.
    copy = join(await newDataDir(), "our house, 100%41 #1");
    for (const path of [
      "apps/server/bin",
      "apps/server/scripts",
      "apps/server/src",
      "apps/server/package.json",
    ])
      await cp(join(ROOT, path), join(copy, path), { recursive: true });
    for (const name of ["agent", "client", "web"])
      for (const path of [`packages/${name}/src`, `packages/${name}/package.json`])
        await cp(join(ROOT, path), join(copy, path), { recursive: true });
    for (const path of ["package.json", "package-lock.json"]) await cp(join(ROOT, path), join(copy, path));
    const modules = join(copy, "node_modules");
    await mkdir(join(modules, "@tidings"), { recursive: true });
    for (const name of ["agent", "client", "web"])
      await symlink(join(copy, "packages", name), join(modules, "@tidings", name));
    for (const name of readdirSync(join(ROOT, "node_modules")))
      if (name !== "@tidings") await symlink(join(ROOT, "node_modules", name), join(modules, name));
  });

  /** What `tidings --version` loads. */
  async function loaded(): Promise<Set<string>> {
    const coverage = join(copy, "coverage");
    const { stdout } = await run(process.execPath, [inServer("bin/tidings.mjs"), "--version"], {
      env: { ...process.env, NODE_V8_COVERAGE: coverage },
      cwd: copy,
    });
    assert.equal(stdout, `${(await readBuild()).version}\n`);
    return loadedBy(coverage);
  }

  it("runs its sources until it is built, and again once one of them was edited", async () => {
    assert.ok((await loaded()).has("src/main.ts"));
    await build(copy);
    const built = await loaded();
    assert.ok(isBundled(built));
    assert.deepEqual(
      [...built].filter((path) => path.startsWith("src/")),
      [],
    );
    appendFileSync(inServer("src/platform/limits.ts"), "\nexport const ADDED = 1;\n");
    const edited = await loaded();
    assert.ok(edited.has("src/main.ts"));
    assert.ok(!isBundled(edited));
  });

  it("has the bundle of before beside the new one, and those of earlier ones no longer", async () => {
    const folders = () => readdirSync(inServer("dist")).sort();
    const made = () => readMade(inServer("dist"))?.folder;
    const first = made();
    const edit = (value: number) =>
      appendFileSync(inServer("src/main.ts"), `\nprocess.env.TIDINGS_EDITED = "${value}";\n`);
    edit(1);
    await build(copy);
    const second = made();
    assert.ok(isBundled(await loaded()));
    assert.deepEqual(folders(), [first, "made.json", second].sort());
    edit(2);
    await Promise.all([build(copy), build(copy)]);
    assert.ok(isBundled(await loaded()));
    assert.deepEqual(folders(), [second, "made.json", made()].sort());
  });
});

describe("the server from its bundle", () => {
  it("serves, and runs commands", async () => {
    await build(ROOT);
    const dataDir = await migratedDataDir();
    const coverage = join(dataDir, "coverage");
    const env = { DATA_DIR: dataDir, NODE_V8_COVERAGE: coverage };
    const server = await serve(env);
    try {
      const keys = keysOf(server);
      for (const path of ["/docs", "/docs/swagger-ui.css", "/demo", "/app", "/tidings.js", "/openapi.json"])
        assert.equal((await fetch(server.url + path)).status, 200, path);
      const sdk = createClient(server.url, keys.publishableKey);
      assert.deepEqual(await sdk.track({ body: { userId: "ada", event: "arrived" } }), { ok: true });
      assert.match(await done(tidingsAlone(["doctor"], env)), /\bevents?\b/);
    } finally {
      assert.equal((await stop(server)).code, 0);
    }
    const loaded = await loadedBy(coverage);
    assert.ok(isBundled(loaded));
    assert.deepEqual(
      [...loaded].filter((path) => path.startsWith("src/")),
      [],
    );
  });
});
