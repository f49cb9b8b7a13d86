import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { uuidOf } from "../../src/domain/ids.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import { testHouse } from "../harness.ts";
import { exposeUsers } from "./exposed-users.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

const { text: PAGE, blocksOf } = await openPage(new URL("../../../../docs/measuring.md", import.meta.url));
const house = testHouse();

/** The rows of the page's table: how many have matured and how many of them converted, and the same of those who are pending. */
const countsOf = (row: string): number[] => {
  const [, cells = ""] = new RegExp(`^\\| ${row}[^|]*\\|(.*)\\|$`, "m").exec(PAGE) ?? [];
  return cells.split("|").map(Number);
};

it("docs/measuring.md has commands that run word for word, and answer what it says of its users", async () => {
  const { projectId, secretKey, api } = await house.project();
  const [begin = "", ...ask] = blocksOf("bash");
  const now = house.now();
  house.at(now - 28 * DAY_MS);
  const env = { ...process.env, TIDINGS: house.url, API_KEY: secretKey };
  const run = (script: string, more: Record<string, string> = {}) =>
    promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { env: { ...env, ...more } });
  const [GOAL = "", CAMPAIGN = ""] = (await run(begin)).stdout.trim().split(" ");
  house.at(now);
  const { campaign } = await api.getCampaign({ path: { id: CAMPAIGN } });
  const [control, other] = campaign.variants.map(({ id }) => uuidOf("var", id));
  for (const [row, variantId = null] of [
    ["Half price", control],
    ["More reports", other],
    ["held out", null],
  ] as const)
    await exposeUsers(house, { projectId, campaignId: CAMPAIGN, variantId }, countsOf(row));
  const { stdout } = await run(ask.join("\necho\n"), { GOAL, CAMPAIGN });
  assert.doesNotMatch(stdout, /\{"error"/);
  const answers = blocksOf("json");
  assert.ok(answers.length >= 4);
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));
});
