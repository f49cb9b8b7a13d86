import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { MAX_TOPICS } from "../../src/features/campaigns/topics/schema.ts";
import { CONSENT_ACTIONS } from "../../src/features/consent/choices/rules.ts";
import { CONFIRM_WITHIN_DAYS } from "../../src/features/consent/subscribing/rules.ts";
import {
  cleanUp,
  keysOf,
  mailCatcherOf,
  migratedDataDir,
  printedMailCatcher,
  serve,
  stop,
  tidings,
  until,
} from "../commands/spawned.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

after(cleanUp);

const ROOT = new URL("../../../../", import.meta.url);
const { text: PAGE, blocksOf } = await openPage(new URL("docs/consent.md", ROOT));
const run = promisify(execFile);

describe("docs/consent.md", () => {
  it("has a reader join a newsletter and get it in five minutes, word for word", async () => {
    const data = { DATA_DIR: await migratedDataDir() };
    const server = await serve(data);
    const { projectId, secretKey, publishableKey } = keysOf(server);
    const env = {
      ...process.env,
      ...data,
      npm_config_loglevel: "silent",
      TIDINGS: server.url,
      PROJECT: projectId,
      API_KEY: secretKey,
      SITE_KEY: publishableKey,
      CAUGHT: mailCatcherOf(server),
    };
    const commands = blocksOf("bash");
    assert.ok(commands.length >= 6);
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands.join("\necho\n")], {
      cwd: ROOT,
      timeout: 180_000,
      env,
    });
    for (const answer of blocksOf("json")) assert.match(stdout, shownAnswer(answer));
    assert.match(stdout, /You are subscribed/);
    const caught = async () => (await printedMailCatcher(server)).text();
    await until(async () => (await caught()).includes("What is new in March"), "the newsletter left");
    const doctor = await tidings(["doctor"], data);
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.equal((await stop(server)).code, 0);
  });

  it("gives the limits that hold, and every action of the log", () => {
    assert.ok(PAGE.includes(`at most ${MAX_TOPICS} topics`));
    assert.ok(PAGE.includes(`works for ${CONFIRM_WITHIN_DAYS} days`));
    for (const action of CONSENT_ACTIONS) assert.ok(PAGE.includes(`\`${action}\``), action);
  });
});
