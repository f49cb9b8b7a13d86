import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { fillField, parseTemplate } from "../../src/features/content/template/template.pure.ts";
import {
  cleanUp,
  keysOf,
  migratedDataDir,
  printedMailCatcher,
  serve,
  stop,
  tidings,
} from "../commands/spawned.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

after(cleanUp);

const ROOT = new URL("../../../../", import.meta.url);
const { blocksOf, table } = await openPage(new URL("docs/email.md", ROOT));

describe("docs/email.md", () => {
  it("has commands that run word for word and answer what it shows", async () => {
    const env = { DATA_DIR: await migratedDataDir() };
    const server = await serve(env);
    const { projectId, publishableKey, secretKey } = keysOf(server);
    const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
    assert.ok(commands.length >= 8 && answers.length >= 2);
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-euo", "pipefail", "-c", commands.join("\necho\n")],
      {
        cwd: ROOT,
        timeout: 180_000,
        env: {
          ...process.env,
          ...env,
          TIDINGS: server.url,
          PROJECT: projectId,
          PUBLISHABLE_KEY: publishableKey,
          API_KEY: secretKey,
        },
      },
    );
    assert.doesNotMatch(stdout, /^\{"error"/m);
    for (const answer of answers) assert.match(stdout, shownAnswer(answer));
    for (const line of [
      "There is no message whose fate is unknown.",
      "ben@example.com gets no mail any more.",
      "ben@example.com gets mail again; it was manual.",
      "Ada  ben@example.com  allowed -> manual",
    ])
      assert.ok(stdout.includes(line), line);
    const caught = await (await printedMailCatcher(server)).text();
    for (const subject of [
      "[Test] Ada, your reports are here",
      "Ada, your reports are here",
      "Hello, your reports are here",
    ])
      assert.ok(caught.includes(`<bdi>${subject}</bdi>`), subject);
    const doctor = await tidings(["doctor"], env);
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.equal((await stop(server)).code, 0);
  });

  const shown = table("| you write | for somebody with | it says |");
  it("has its table of fields", () => assert.ok(shown.length >= 10));
  for (const [source = "", traits = "", text = ""] of shown)
    it(`${source} with ${traits} says ${JSON.stringify(text)}`, () => {
      const template = parseTemplate(source);
      assert.ok("parts" in template, JSON.stringify(template));
      const person = { id: "ada", traits: JSON.parse(traits) as Record<string, unknown> };
      const filled = template.parts.map((part) =>
        typeof part === "string" ? part : fillField(part, person),
      );
      assert.equal(filled.join(""), text);
    });

  const refused = table("| refused | because |");
  it("has its table of what is refused", () => assert.ok(refused.length >= 6));
  for (const [source = ""] of refused)
    it(`${source} is refused`, () => assert.ok("fault" in parseTemplate(source)));
});
