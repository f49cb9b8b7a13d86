import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { compilePages, normalizePath } from "../../src/features/campaigns/authoring/audience/pages.pure.ts";
import { sharedHouse } from "../harness.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/web.md", import.meta.url));
const house = sharedHouse();

it("docs/web.md has commands that run word for word and answer what it shows", async () => {
  const { publishableKey, secretKey, api } = await house.project();
  const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
  assert.ok(commands.length >= 3 && answers.length >= 1);
  const env = { ...process.env, TIDINGS: house.url, PUBLISHABLE_KEY: publishableKey, API_KEY: secretKey };
  const run = promisify(execFile);
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands.join("\necho\n")], { env });
  assert.doesNotMatch(stdout, /\{"error"/);
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));
  assert.equal((await api.listCampaigns({})).total, 2);
});

it("docs/web.md says of each pattern which paths it is for", () => {
  const rows = [...PAGE.matchAll(/^\| `(\/[^`]*)` \| (.+) \| (.+) \|$/gm)];
  assert.equal(rows.length, 4);
  for (const [, pattern = "", within = "", without = ""] of rows) {
    const matches = compilePages([pattern]);
    const paths = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    for (const path of paths(within)) assert.ok(matches(normalizePath(path)), `${pattern} is for ${path}`);
    for (const path of paths(without))
      assert.ok(!matches(normalizePath(path)), `${pattern} is not for ${path}`);
  }
});
