import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";

const ROOT = new URL("../../../", import.meta.url).pathname;

describe("the house rules", () => {
  for (const script of ["check:types", "check:lint", "check:arrows", "check:unused", "gen:check"]) {
    it(`npm run ${script} has nothing to say`, () => {
      const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", script], {
        cwd: ROOT,
        encoding: "utf8",
      });
      assert.equal(status, 0, `${stdout}\n${stderr}`);
    });
  }
});
