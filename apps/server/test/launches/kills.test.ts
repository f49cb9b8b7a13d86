import assert from "node:assert/strict";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient } from "@tidings/client";
import { cleanUp, done, keysOf, newDataDir, serve, stop, tidings, until, work } from "../commands/spawned.ts";
import { numbersFrom } from "../crash/random.ts";
import { toast } from "../factories.ts";
import { ownRepository } from "../from-code.ts";
import { ownDatabases } from "../own-database.ts";
import { WITHOUT_GIT } from "../peers/repository.ts";
import { rounds, seedOf } from "../rounds.ts";

const ownDatabase = ownDatabases();
after(cleanUp);

const PROCESSES = Number(process.env.LAUNCH_PROCESSES ?? rounds(2, 8));
const CAMPAIGNS = Number(process.env.LAUNCH_CAMPAIGNS ?? rounds(10, 100));
const KILLS = Number(process.env.LAUNCH_KILLS ?? rounds(1, 20));
/** Leases of a process that was killed end after 15 seconds; each kill may cost that. */
const LAUNCHED_WITHIN_MS = 120_000 + KILLS * 40_000;

const stateOf = async (api: Client, id: string) => {
  const { launch, warnings } = await api.getCampaignActivation({ path: { id } });
  const { runs } = await api.listAgentRuns({ query: { campaignId: id } });
  return {
    mode: launch?.mode,
    evidence: launch?.evidence.length,
    kinds: runs.map(({ kind }) => kind),
    warnings: warnings.length,
  };
};

it("launches each campaign once, by several processes that are killed", { skip: WITHOUT_GIT }, async () => {
  const random = numbersFrom(seedOf());
  const repository = ownRepository();
  const env = { ...(await ownDatabase()), AUTO_MIGRATE: "1", RATE_LIMITS: "off" };
  const server = await serve({ ...env, ROLES: "api", DATA_DIR: await newDataDir() });
  const { projectId, secretKey } = keysOf(server);
  const api = createClient(server.url, secretKey);
  const run = (...args: string[]) => done(tidings([...args, "--project", projectId], env));
  await run("source", "add", "web", "--url", repository.url);
  await run("mapping", "add", "--source", "web", "--environment", "production");

  const announced: { id: string; sha: string }[] = [];
  for (let i = 0; i < CAMPAIGNS; i++) {
    const sha = repository.commit({ [`${i}.txt`]: String(i) });
    const sourceChanges = { changes: [{ sourceId: "web", kind: "commit" as const, sha }] };
    const { campaign } = await api.createCampaign({
      body: { name: `Campaign ${i}`, message: toast(), sourceChanges },
    });
    await run("approvals", "approve", campaign.id, "--by", "Ada");
    announced.push({ id: campaign.id, sha });
  }

  // Each process has a folder of its own, as on a machine of its own.
  const workers: Awaited<ReturnType<typeof work>>[] = [];
  const startWorker = async () => workers.push(await work({ ...env, DATA_DIR: await newDataDir() }));
  for (let i = 0; i < PROCESSES; i++) await startWorker();

  for (let kill = 0; kill <= KILLS; kill++) {
    const upTo = Math.floor(((kill + 1) * CAMPAIGNS) / (KILLS + 1)) - 1;
    await api.recordDeployment({
      body: {
        deploymentId: `ci-${upTo}`,
        sourceId: "web",
        environment: "production",
        status: "success",
        sha: announced[upTo]?.sha ?? "",
      },
    });
    if (kill === KILLS) break;
    await sleep(random() * 3_000);
    const [victim] = workers.splice(Math.floor(random() * workers.length), 1);
    victim?.child.kill("SIGKILL");
    await victim?.ended;
    await startWorker();
  }
  await until(
    async () => (await api.listCampaigns({ query: { status: "draft", perPage: 1 } })).total === 0,
    "every campaign was launched",
    LAUNCHED_WITHIN_MS,
  );
  for (const { id } of announced)
    assert.deepEqual(await stateOf(api, id), {
      mode: "automatic",
      evidence: 1,
      kinds: ["launch", "approval"],
      warnings: 0,
    });
  for (const worker of workers) await stop(worker);
  assert.match(await done(tidings(["doctor", "--project", projectId], env)), /^0 differences/m);
  assert.equal((await stop(server)).code, 0);
});
