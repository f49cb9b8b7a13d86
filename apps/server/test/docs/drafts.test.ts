import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, it } from "node:test";
import { promisify } from "node:util";
import { cleanUp, keysOf, migratedDataDir, serve, stop } from "../commands/spawned.ts";
import { ownRepository } from "../from-code.ts";
import { WITHOUT_GIT } from "../peers/repository.ts";
import { stepsOf } from "./page-steps.ts";
import { shownAnswer } from "./shown-answer.ts";

const ROOT = new URL("../../../../", import.meta.url);

after(cleanUp);

it("docs/drafts.md goes from a commit to a draft, by hand and by the agent, word for word", {
  skip: WITHOUT_GIT,
}, async () => {
  const steps = stepsOf(await readFile(new URL("docs/drafts.md", ROOT), "utf8"));
  assert.equal(steps.length, 5);
  const repository = ownRepository();
  const data = { DATA_DIR: await migratedDataDir(), MODE: "managed", SOURCES_PRIVATE: "1" };
  const server = await serve(data);
  const { secretKey, agentKey } = keysOf(server);
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@acme.example" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@acme.example" };
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", steps.script], {
    cwd: ROOT,
    timeout: 120_000,
    env: {
      ...process.env,
      ...data,
      ...author,
      ...committer,
      TIDINGS: server.url,
      API_KEY: secretKey,
      AGENT_KEY: agentKey,
      REPOSITORY: repository.url,
      CHECKOUT: repository.folder,
      // Without the lines that npm itself prints above the output of a script.
      npm_config_loglevel: "silent",
    },
  });
  for (const [index, { command, answer }] of steps.entries())
    assert.match(steps.answersIn(stdout)[index] ?? "", shownAnswer(answer), command);
  assert.equal((await stop(server)).code, 0);
});
