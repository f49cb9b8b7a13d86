import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type Lock, thirdPartyPage } from "../../scripts/third-party.ts";

const ROOT = new URL("../../../../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");

type Package = { version: string; license: string; workspaces: string[] };
type WithDependencies = Package &
  Record<"dependencies" | "devDependencies", Record<string, string> | undefined>;

const packageIn = (folder: string) => JSON.parse(textOf(`${folder}package.json`)) as WithDependencies;
const { version, workspaces } = packageIn("");
const folders = ["", ...globSync(workspaces, { cwd: ROOT.pathname }).map((folder) => `${folder}/`)];
const lock = JSON.parse(textOf("package-lock.json")) as Lock & { version: string };

describe("a release", () => {
  it("has one version and one licence in every package, which the lock has too", () => {
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(lock.version, version);
    assert.ok(folders.length > 7);
    for (const folder of folders) {
      const { license, ...its } = packageIn(folder);
      assert.deepEqual([its.version, license], [version, "Apache-2.0"], folder);
      assert.equal(lock.packages[folder.replace(/\/$/, "")]?.version, version, folder);
    }
  });

  it("takes its own packages in whatever version they have, so that a new number stands in no range", () => {
    const ranges = folders.flatMap((folder) => {
      const { dependencies = {}, devDependencies = {} } = packageIn(folder);
      return Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
        name.startsWith("@tidings/"),
      );
    });
    assert.ok(ranges.length > 4);
    for (const [name, range] of ranges) assert.equal(range, "*", name);
  });

  it("is the newest entry of the changelog", () => {
    const [newest] = textOf("CHANGELOG.md").matchAll(/^## (\d\S*)/gm);
    assert.equal(newest?.[1], version);
  });
});

describe("what is shipped", () => {
  const shipped = (license?: string, more = {}): Lock => ({
    packages: { "": {}, "apps/server": {}, "node_modules/@a/b": { version: "1.2.3", license, ...more } },
  });

  it("is listed with its licence", () => {
    assert.match(
      thirdPartyPage(shipped("(EUPL-1.1+ OR MIT)")),
      /\n\| @a\/b \| 1\.2\.3 \| \(EUPL-1\.1\+ OR MIT\) \|\n$/,
    );
    assert.doesNotMatch(thirdPartyPage(shipped("GPL-3.0", { dev: true })), /@a\/b/);
  });

  for (const license of ["GPL-3.0-only", "MPL-2.0", "(MIT AND GPL-3.0-only)", undefined])
    it(`is refused under ${license ?? "no licence"}`, () => {
      assert.throws(() => thirdPartyPage(shipped(license)), /^Error: @a\/b 1\.2\.3 is under /);
    });
});
