import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { uuidOf } from "../../src/domain/ids.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import { testHouse } from "../harness.ts";
import { shownAnswer } from "./shown-answer.ts";

const PAGE = await readFile(new URL("../../../../docs/measuring.md", import.meta.url), "utf8");
const house = testHouse();

const blocksOf = (language: string): string[] =>
  [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, given]) => given === language)
    .map(([, , text = ""]) => text);

/** The rows of the page's table: how many have matured and how many of them converted, and the same of those who are pending. */
const countsOf = (row: string): number[] => {
  const [, cells = ""] = new RegExp(`^\\| ${row}[^|]*\\|(.*)\\|$`, "m").exec(PAGE) ?? [];
  return cells.split("|").map(Number);
};

/**
 * Users with what the table says of them. Those who have matured came evenly over the 20 days before the last 7, the others within the
 * last 7 full days; converters are spread evenly among them, and converted within an hour.
 */
async function fill(
  projectId: string,
  campaignId: string,
  row: string,
  variantId: string | null,
): Promise<void> {
  const today = house.now() - (house.now() % DAY_MS);
  const [matured = 0, converted = 0, pending = 0, convertedSoFar = 0] = countsOf(row);
  for (const [users, hits, firstDay, days] of [
    [matured, converted, 8, 20],
    [pending, convertedSoFar, 1, 7],
  ] as const) {
    const chosen = `select ('00000000-0000-4000-8000-' || lpad(to_hex((random() * 1e14)::int8), 12, '0'))::uuid as user_key,
      $1::int8 - ($2::int8 + n * $3::int8 / $4::int8) * ${DAY_MS}::int8 + ${DAY_MS * 0.75}::int8 as at,
      (n + 1) * $5::int8 / $4::int8 > n * $5::int8 / $4::int8 as converts
      from generate_series(0, $4::int8 - 1) n`;
    const into =
      variantId === null
        ? `insert into withheld_deliveries (lane, user_key, campaign_id, project_id, epoch, withheld_at)
          select 0, user_key, $6, $7, 1, at from chosen where $8::uuid is null`
        : `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, epoch, state, queued_at, shown_at, exposed_at)
          select 0, user_key, $6, $7, $8, 1, 'shown', at, at, at from chosen`;
    await house.database.pool.query(
      `with chosen as materialized (${chosen}), decided as (${into})
      insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
      select 0, user_key, 'upgraded', $7, 1, at + 3600000, at + 3600000 from chosen where converts`,
      [today, firstDay, days, users, hits, uuidOf("cmp", campaignId), projectId, variantId],
    );
  }
}

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
  await fill(projectId, CAMPAIGN, "Half price", control ?? "");
  await fill(projectId, CAMPAIGN, "More reports", other ?? "");
  await fill(projectId, CAMPAIGN, "held out", null);
  const { stdout } = await run(ask.join("\necho\n"), { GOAL, CAMPAIGN });
  assert.doesNotMatch(stdout, /\{"error"/);
  const answers = blocksOf("json");
  assert.ok(answers.length >= 4);
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));
});
