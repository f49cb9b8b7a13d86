import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draftDue, plain2, type Writer } from "@tidings/agent";
import { writer1 } from "@tidings/agent/writer-1";
import { createClient } from "@tidings/client";
import { type Passed, type Side, startProxy } from "../../../../test/agent-runner/proxy.ts";
import { ownRepository } from "../../../../test/from-code.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { MODEL_KEY, testModel } from "../../../../test/model-scene.ts";
import { calls } from "../../../../test/peers/model-server.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { dueOf, look, managedHouse, workProject } from "../../../../test/source-work.ts";

const house = managedHouse();
const model = testModel();
const HOUR_MS = 3_600_000;

const drafters = {
  "plain@2": () => plain2,
  "writer@1": () =>
    writer1({
      url: model.server.url,
      model: "small-1",
      key: MODEL_KEY,
      maxSteps: 8,
      maxTokens: 60_000,
      maxSeconds: 60,
    }),
} as const;
type Name = keyof typeof drafters;

/** An agent that ends with its first fault, as one that was killed there. */
const writerOf = (url: string, { agentKey }: TestProject, name: Name): Writer => ({
  api: createClient(url, agentKey),
  drafter: drafters[name](),
  clock: house.now,
  signal: new AbortController().signal,
  resting: new Map(),
});

/** Lets an agent draft what a commit brings, and cuts it off before or after its n-th request; answers what passed. */
async function play(name: Name, cut: { at: number; side: Side } | null): Promise<Passed[]> {
  const repository = ownRepository();
  const project = await workProject(house, repository);
  const sha = repository.commit({ "dark.css": "black\n" }, "Add dark mode");
  await look(house);
  model.play(() =>
    calls([
      {
        name: "plan",
        input: { reason: "R", create: [{ shas: [sha], name: "Dark mode", title: "Dark mode" }] },
      },
    ]),
  );
  const passed: Passed[] = [];
  let requests = 0;
  const proxy = await startProxy(house.url, async (each, side) => {
    if (side === "before") requests += 1;
    else passed.push(each);
    return cut !== null && requests > cut.at && (side === cut.side || requests > cut.at + 1)
      ? "drop"
      : "pass";
  });
  const ended = await draftDue(writerOf(proxy.url, project, name)).catch(() => null);
  await proxy.close();
  assert.equal(ended === null, cut !== null);
  // The next agent comes when the lease has run out, and what was claimed has rested.
  house.advance(HOUR_MS);
  await look(house);
  await draftDue(writerOf(house.url, project, name));
  const { campaigns } = await project.api.listCampaigns();
  assert.deepEqual(
    campaigns.map(({ sourceChanges }) => sourceChanges.changes),
    [[{ sourceId: "web", kind: "commit", sha }]],
  );
  assert.deepEqual(await dueOf(project), []);
  const { runsUsedToday } = await project.agent.listDueRefs();
  assert.ok(runsUsedToday === 1 || (cut !== null && runsUsedToday === 2));
  const { ai } = await project.api.getAgentSettings();
  assert.ok(
    name === "plain@2" ? ai.creditsUsed === 0 : ai.creditsUsed >= 1 && ai.creditsUsed <= runsUsedToday,
  );
  assert.deepEqual(await house.differences(project.projectId), {});
  return passed;
}

describe("an agent that is cut off while it drafts", { skip: WITHOUT_GIT }, () => {
  for (const name of Object.keys(drafters) as Name[])
    it(`leaves nothing half-written, and its work is done once: ${name}`, async () => {
      const passed = await play(name, null);
      assert.ok(passed.some(({ path }) => path.endsWith("/claim")));
      for (let at = 0; at < passed.length; at++)
        for (const side of ["before", "after"] as const) await play(name, { at, side });
    });
});
