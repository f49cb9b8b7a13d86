import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { MAX_EXITS, MAX_RUNNING } from "../../src/features/journeys/authoring/schema.ts";
import {
  MAX_ARMS,
  MAX_STEPS,
  MAX_WAIT_MS,
  MIN_ARMS,
} from "../../src/features/journeys/authoring/steps.pure.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import {
  cleanUp,
  keysOf,
  migratedDataDir,
  printedMailCatcher,
  serve,
  stop,
  tidings,
  until,
} from "../commands/spawned.ts";
import { openPage } from "./page.ts";

after(cleanUp);

const ROOT = new URL("../../../../", import.meta.url);
const { text: PAGE, blocksOf } = await openPage(new URL("docs/journeys.md", ROOT));
const run = promisify(execFile);

describe("docs/journeys.md", () => {
  it("welcomes a user who began a trial, word for word", async () => {
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
    assert.equal(commands.length, 4);
    const ran = await run(
      "bash",
      ["-euo", "pipefail", "-c", [...commands, "echo; echo $JOURNEY"].join("\necho\n")],
      {
        cwd: ROOT,
        timeout: 180_000,
        env,
      },
    );
    const id = ran.stdout.trim().split("\n").at(-1) ?? "";
    assert.match(id, /^jrn_[0-9a-f-]{36}$/);
    const caught = async () => (await printedMailCatcher(server)).text();
    await until(async () => (await caught()).includes("Welcome to Acme"), "the welcome left");
    const [reads = "", change = "", paths = ""] = blocksOf("sh");
    const [listing = "", counting = ""] = reads.split("\n");
    const answer = async (command: string): Promise<string> =>
      (await run("bash", ["-euo", "pipefail", "-c", command], { env: { ...env, JOURNEY: id } })).stdout;
    await until(
      async () => (await answer(listing)).includes('"stepId":"ten-days"'),
      "she waits for ten days",
    );
    const results = JSON.parse(await answer(counting));
    assert.deepEqual([results.entered, results.inside, results.steps[0].sent], [1, 1, 1]);
    await answer(change);
    await until(
      async () => (await caught()).includes("Four days to go"),
      "she goes on where the change moves her, and her reminder leaves",
    );
    const moved = JSON.parse(await answer(counting));
    assert.deepEqual([moved.inside + moved.left.finished, moved.steps.length], [1, 2]);
    const { journey } = JSON.parse(await answer(paths));
    assert.deepEqual(
      journey.steps[0].arms.map(({ name, isControl }: { name: string; isControl: boolean }) => [
        name,
        isControl,
      ]),
      [
        ["One mail", true],
        ["Two mails", false],
      ],
    );
    const compared = JSON.parse(await answer(counting.replace("$JOURNEY", journey.id)));
    assert.deepEqual([compared.noStatistics, compared.statistics.attributionDays], [null, 14]);
    const doctor = await tidings(["doctor"], data);
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.equal((await stop(server)).code, 0);
  });

  it("gives the limits that hold", () => {
    for (const limit of [
      `Up to ${MAX_STEPS}, each`,
      `at most ${MAX_WAIT_MS / DAY_MS} days`,
      `up to ${MAX_RUNNING} journeys`,
      `${MIN_ARMS} to ${MAX_ARMS} arms`,
    ])
      assert.ok(PAGE.includes(limit), limit);
    assert.equal(MAX_EXITS, 5);
    assert.ok(PAGE.includes("up to five other events"));
  });
});
