import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Client, createClient } from "@tidings/client";
import { ownDatabases } from "../own-database.ts";
import {
  cleanUp,
  done,
  keysOf,
  migratedDataDir,
  refused,
  serve,
  stop,
  tidings,
  until,
  work,
} from "./spawned.ts";

const newDatabase = ownDatabases();

after(cleanUp);

/** A running campaign under a goal, whose evaluation is due. */
async function dueCampaign(api: Client, name = "Spring"): Promise<string> {
  const { goal } = await api.createGoal({
    body: { name: "Upgrades", targetEvent: "paid", approvalMode: "auto" },
  });
  const variants = ["A", "B"].map((title) => ({ message: { presentation: "toast" as const, title } }));
  const { campaign } = await api.createCampaign({ body: { name, goalId: goal.id, launch: true, variants } });
  await api.scheduleEvaluation({ path: { id: campaign.id }, body: { nextEvaluationAt: Date.now() } });
  return campaign.id;
}

const countRuns = async (api: Client): Promise<number> =>
  (await api.listAgentRuns({ query: { kind: "evaluate" } })).total;

const usePolicy = (env: Record<string, string>, projectId: string) =>
  done(tidings(["settings", "set", "--project", projectId, "agent.policy=statistical@1"], env));

describe("the role agent", () => {
  it("looks after campaigns in the one process of a first start, and stops with it", async () => {
    const env = { DATA_DIR: await migratedDataDir(), ROLES: "api,worker,agent" };
    const server = await serve(env);
    const { projectId, secretKey } = keysOf(server);
    const api = createClient(server.url, secretKey);
    await usePolicy(env, projectId);
    await dueCampaign(api);
    await until(async () => (await countRuns(api)) === 1, "an evaluation was logged");
    const replayed = await done(tidings(["agent", "replay", "--project", projectId], env));
    assert.equal(replayed.trim(), "statistical@1  1\n\nNothing is different.");
    assert.equal((await stop(server)).code, 0);
  });

  it("looks after them from a process of its own", async () => {
    const env = { ...(await newDatabase()), AUTO_MIGRATE: "1", RATE_LIMITS: "off" };
    const server = await serve({ ...env, ROLES: "api" });
    const { projectId, secretKey } = keysOf(server);
    const api = createClient(server.url, secretKey);
    const noProcess = /^No process has the role agent/m;
    assert.match(await usePolicy(env, projectId), noProcess);
    await dueCampaign(api);
    const agent = await work({ ...env, AGENT_API_URL: server.url }, "agent");
    await until(async () => (await countRuns(api)) === 1, "an evaluation was logged");
    assert.doesNotMatch(await usePolicy(env, projectId), noProcess);
    assert.equal((await stop(agent)).code, 0);
    assert.match(await usePolicy(env, projectId), noProcess, "it is off the list at once");
    assert.equal((await stop(server)).code, 0);
  });

  it("needs to know where the API is", async () => {
    const env = { DATA_DIR: await migratedDataDir(), ROLES: "agent" };
    await refused(tidings(["serve"], env), /^AGENT_API_URL is missing: an agent without the role api needs/m);
    await refused(
      tidings(["serve"], { ...env, AGENT_API_URL: "ftp://here" }),
      /^AGENT_API_URL \("ftp:\/\/here"\) is not usable: must be an http:\/\/ or https:\/\/ address$/m,
    );
  });
});

describe("tidings agent run", () => {
  it("looks after the campaigns of another Tidings with an agent key, and says what it did", async () => {
    const server = await serve({ DATA_DIR: await migratedDataDir() });
    const { secretKey, agentKey } = keysOf(server);
    const api = createClient(server.url, secretKey);
    const id = await dueCampaign(api);
    // No database of its own: it has a key, and nothing else.
    const env = { AGENT_KEY: agentKey };
    const run = (...more: string[]) =>
      tidings(["agent", "run", "--url", `${server.url}/`, "--once", ...more], env);
    assert.equal((await done(run())).trim(), `${id}  nothing`);
    assert.equal((await done(run())).trim(), "");
    assert.equal(await countRuns(api), 1);
    const { campaigns } = await api.listDueEvaluations();
    assert.deepEqual(campaigns, []);
    await refused(
      tidings(["agent", "run", "--url", server.url, "--once"], {
        AGENT_KEY: secretKey.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      }),
      /^The server refuses: Unauthorized\.$/m,
    );
    assert.equal((await stop(server)).code, 0);
  });

  it("refuses what it cannot use in one line", async () => {
    const run = ["agent", "run", "--once", "--url"];
    await refused(
      tidings([...run, "http://127.0.0.1:1"], {}),
      /^AGENT_KEY is missing: the project's agent key\.$/m,
    );
    for (const variable of ["AGENT_KEY", "AGENT_MODEL_KEY"]) {
      const broken = { AGENT_KEY: "pk_agent_x", [variable]: "pk_agent_one\nx" };
      await refused(
        tidings([...run, "http://127.0.0.1:1"], broken),
        new RegExp(`^${variable} must be printable ASCII, without blanks, quotes and backslashes\\.$`, "m"),
      );
    }
    await refused(
      tidings([...run, "here"], { AGENT_KEY: "pk_agent_x" }),
      /must be an http:\/\/ or https:\/\/ address/,
    );
    await refused(
      tidings([...run, "http://127.0.0.1:1", "--every-hours", "0"], { AGENT_KEY: "pk_agent_x" }),
      /must be a whole number from 1 to 720/,
    );
    await refused(
      tidings([...run, "http://127.0.0.1:1", "--policy", "statistical"], { AGENT_KEY: "pk_agent_x" }),
      /must be one of statistical@1, model@1/,
    );
  });
});
