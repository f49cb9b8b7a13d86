import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { DEFAULT_TIMING } from "../../src/features/campaigns/authoring/timing.pure.ts";
import { timingSettings } from "../../src/features/timing/settings.pure.ts";
import { cleanUp, keysOf, migratedDataDir, serve, stop, tidings } from "../commands/spawned.ts";
import { openPage } from "./page.ts";

after(cleanUp);

const ROOT = new URL("../../../../", import.meta.url);
const { text: PAGE, blocksOf } = await openPage(new URL("docs/timing.md", ROOT));
const run = promisify(execFile);

describe("docs/timing.md", () => {
  it("gives a campaign its hour and a project its quiet hours, word for word", async () => {
    const data = { DATA_DIR: await migratedDataDir() };
    const server = await serve(data);
    const { projectId, secretKey } = keysOf(server);
    const env = {
      ...process.env,
      ...data,
      npm_config_loglevel: "silent",
      TIDINGS: server.url,
      PROJECT: projectId,
      API_KEY: secretKey,
    };
    const commands = blocksOf("bash");
    assert.equal(commands.length, 5);
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands.join("\necho\n")], {
      cwd: ROOT,
      timeout: 180_000,
      env,
    });
    assert.match(stdout, /"gate":"time","passes":false,.*"zone":"Asia\/Tokyo","until":\d{13}/);
    assert.match(stdout, /time\.quiet.*21:00-08:00/);
    assert.match(stdout, /pressure\.max.*3/);
    const doctor = await tidings(["doctor"], data);
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.equal((await stop(server)).code, 0);
  });

  it("names every setting, and the defaults that hold", () => {
    for (const key of Object.keys(timingSettings)) assert.ok(PAGE.includes(key), key);
    const { priority, patienceHours } = DEFAULT_TIMING;
    assert.ok(PAGE.includes(`by default ${priority})`) && PAGE.includes(`by default ${patienceHours})`));
  });
});
