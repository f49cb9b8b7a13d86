import assert from "node:assert/strict";
import { after, it } from "node:test";
import { createClient } from "@tidings/client";
import { uuidOf } from "../../src/domain/ids.ts";
import { toast } from "../factories.ts";
import { ask, cleanUp, done, keysOf, migratedDataDir, refused, serve, stop, tidings } from "./spawned.ts";

after(cleanUp);

it("tidings guardrails lists what was paused, and clears a campaign of the project once", async () => {
  const dataDir = await migratedDataDir();
  const env = { DATA_DIR: dataDir, RATE_LIMITS: "off" };
  const server = await serve(env);
  const { projectId, secretKey } = keysOf(server);
  const api = createClient(server.url, secretKey);
  const { campaign } = await api.createCampaign({ body: { name: "One", message: toast() } });
  const guardrails = (...args: string[]) => tidings(["guardrails", ...args, "--project", projectId], env);
  assert.match(await done(guardrails("list")), /No campaign was paused/);
  await ask(
    dataDir,
    `with run as (
      insert into agent_runs (id, project_id, kind, campaign_id, created_at)
      values (gen_random_uuid(), '${projectId}', 'guardrail', '${uuidOf("cmp", campaign.id)}', 1) returning *
    )
    insert into guardrail_breaches (run_id, project_id, campaign_id, guardrail, limit_value, observed, counts, breached_at)
    select id, project_id, campaign_id, 'maxComplaintRate', 0.01, 0.1, '{"all": 300, "successes": 30}', 1 from run`,
  );
  assert.match(
    await done(guardrails("list")),
    new RegExp(`${campaign.id}  maxComplaintRate 0.01, was 0.1  open`),
  );
  await refused(guardrails("clear", "cmp_other", "--reason", "None"), /^Campaign not found: cmp_other$/m);
  assert.notEqual((await guardrails("clear", campaign.id)).code, 0);
  const clear = () => guardrails("clear", campaign.id, "--reason", "Looked at", "--by", "Ada");
  assert.match(await done(clear()), /may be launched again/);
  assert.match(await done(clear()), /nothing to clear/);
  assert.match(await done(guardrails("list")), /cleared by Ada: Looked at/);
  const [breach] = JSON.parse(await done(guardrails("list", "--json")));
  assert.deepEqual(
    [breach.campaignId, breach.limit, breach.clearedBy, breach.clearedCounts.sent],
    [campaign.id, 0.01, "Ada", 0],
  );
  assert.equal((await stop(server)).code, 0);
});
