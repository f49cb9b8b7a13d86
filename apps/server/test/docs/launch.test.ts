import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, it } from "node:test";
import { promisify } from "node:util";
import { Blocker } from "../../src/features/campaigns/authoring/schema.ts";
import { cleanUp, keysOf, migratedDataDir, serve, stop } from "../commands/spawned.ts";
import { ownRepository } from "../from-code.ts";
import { WITHOUT_GIT } from "../peers/repository.ts";
import { stepsOf } from "./page-steps.ts";
import { shownAnswer } from "./shown-answer.ts";

const ROOT = new URL("../../../../", import.meta.url);
const PAGE = await readFile(new URL("docs/launch.md", ROOT), "utf8");

after(cleanUp);

const steps = stepsOf(PAGE);

it("docs/launch.md goes from a commit to a launched campaign, word for word", {
  skip: WITHOUT_GIT,
}, async () => {
  assert.ok(steps.length >= 5);
  const repository = ownRepository();
  const data = { DATA_DIR: await migratedDataDir() };
  const server = await serve(data);
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", steps.script], {
    cwd: ROOT,
    timeout: 120_000,
    env: {
      ...process.env,
      ...data,
      TIDINGS: server.url,
      API_KEY: keysOf(server).secretKey,
      REPOSITORY: repository.url,
      COMMIT: repository.commit({ "dark.css": "dark" }),
      // Without the lines that npm itself prints above the output of a script.
      npm_config_loglevel: "silent",
    },
  });
  const answers = steps.answersIn(stdout);
  assert.equal(answers.length, steps.length);
  for (const [index, { command, answer }] of steps.entries())
    assert.match(answers[index] ?? "", shownAnswer(answer), command);
  assert.equal((await stop(server)).code, 0);
});

it("docs/launch.md says of every blocker what to do", () => {
  for (const code of Blocker.shape.code.options) assert.ok(PAGE.includes(`| \`${code}\` |`), code);
});
