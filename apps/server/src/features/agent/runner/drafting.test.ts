import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { messagesOf } from "../../../../test/factories.ts";
import {
  activationOf,
  decideLaunch,
  deploy,
  mapTo,
  ownRepository,
  statusOf,
} from "../../../../test/from-code.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { MODEL_KEY, testModel } from "../../../../test/model-scene.ts";
import {
  calls,
  type ModelAnswer,
  type ModelRequest,
  refuses,
  saysOnly,
} from "../../../../test/peers/model-server.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  drafted,
  dueOf,
  look,
  managedHouse,
  readCampaign,
  workProject,
} from "../../../../test/source-work.ts";

const house = managedHouse();
const model = testModel();

const WITHOUT_MODEL = { "agent.policy": "statistical@1" };

/** A repository, and a project whose agent drafts from it. */
async function connected(settings: Record<string, string> = WITHOUT_MODEL) {
  const repository = ownRepository();
  const project = await workProject(house, repository);
  await setSettings(house, project, settings);
  return { repository, project };
}

/** Looks at the repositories, and gives the agent its turn. */
async function work(): Promise<void> {
  await look(house);
  await house.tidings.drain("agent");
}

const campaignsOf = async ({ api }: TestProject) => (await api.listCampaigns()).campaigns;

const runsOf = async ({ api }: TestProject, kind = "source") =>
  (await api.listAgentRuns({ query: { kind } })).runs;

describe("the agent without a model", { skip: WITHOUT_GIT }, () => {
  it("walks the whole way: from a commit to a draft that a person allows, its launch, and its end", async () => {
    const { repository, project } = await connected();
    await mapTo(house, project);
    // Ada commits, and the agent drafts.
    repository.commit({ "test.ts": "x" }, "test: cover the menu");
    const sha = repository.commit({ "dark.css": "black" }, "feat: dark mode");
    await work();
    const [made, ...more] = await campaignsOf(project);
    assert.ok(made && more.length === 0);
    assert.deepEqual([made.name, made.createdBy, made.status], ["Dark mode", "agent", "draft"]);
    assert.deepEqual(made.sourceChanges.changes, [{ sourceId: "web", kind: "commit", sha }]);
    const [run] = await runsOf(project);
    assert.ok(run);
    assert.match(run.rationale ?? "", /^Drafted from the subject lines/);
    assert.deepEqual((run.output as { skips: unknown }).skips, [
      { commits: 1, reason: "By their subject lines, users do not notice them." },
    ]);
    // Grace allows it, CI deploys the commit, and users see it.
    await decideLaunch(house, project, made.id);
    await deploy(house, project, sha);
    await house.drain();
    assert.equal(await statusOf(project, made.id), "running");
    assert.equal((await messagesOf(project, "ada"))[0]?.content.title, "Dark mode");
    assert.equal((await activationOf(project, made.id)).launch?.mode, "automatic");
    // What was launched is people's: the agent leaves it alone when the commit is reverted, and it is warned about once that is deployed.
    const before = await readCampaign(project, made.id);
    repository.git("revert", "--no-edit", "HEAD");
    await work();
    house.advance(60_000);
    await deploy(house, project, repository.tip());
    await house.drain();
    await house.drain();
    const { stats: _, ...after } = await readCampaign(project, made.id);
    assert.deepEqual({ ...after, stats: before.stats }, before);
    assert.deepEqual(
      (await activationOf(project, made.id)).warnings.map(({ reason }) => reason),
      ["revert"],
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("takes back a draft whose commit is reverted before it was launched, and drafts what comes after", async () => {
    const { repository, project } = await connected();
    repository.commit({ "dark.css": "black" }, "Add dark mode");
    await work();
    repository.git("revert", "--no-edit", "HEAD");
    repository.commit({ "export.ts": "x" }, "Export reports");
    await work();
    const [exported, dark] = await campaignsOf(project);
    assert.deepEqual([exported?.name, dark?.name], ["Export reports", "Add dark mode"]);
    const { assessment } = await activationOf(project, dark?.id ?? "");
    assert.ok(assessment.blockers.some(({ code }) => code === "withdrawn"));
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("leaves work alone while the project's runs are used up, and goes on the next day", async () => {
    const { repository, project } = await connected({ ...WITHOUT_MODEL, "safety.maxRunsPerDay": "1" });
    repository.commit({ "a.css": "a" }, "Add A");
    await work();
    repository.commit({ "b.css": "b" }, "Add B");
    await work();
    await work();
    assert.equal((await campaignsOf(project)).length, 1);
    house.advance(86_400_000);
    await work();
    assert.deepEqual(
      (await campaignsOf(project)).map(({ name }) => name),
      ["Add B", "Add A"],
    );
  });

  it("drafts nothing where no policy was chosen", async () => {
    const { repository, project } = await connected({});
    repository.commit({ "a.css": "a" }, "Add A");
    await work();
    assert.equal((await dueOf(project)).length, 1);
    assert.deepEqual(await campaignsOf(project), []);
  });
});

const withModel = () => ({
  "agent.policy": "model@1",
  "agent.modelUrl": model.server.url,
  "agent.model": "small-1",
  "agent.modelKey": MODEL_KEY,
});

const plans = (input: unknown): ModelAnswer => calls([{ name: "plan", input }]);

/** What the model was given with a request. */
const documentOf = ({ body }: ModelRequest) =>
  JSON.parse(body.messages.find(({ role }) => role === "user")?.content ?? "") as Record<string, unknown>;

describe("the agent with a model", { skip: WITHOUT_GIT }, () => {
  it("drafts what the model writes, keeps the dialogue, and bills it once", async () => {
    const { repository, project } = await connected(withModel());
    const shas = [
      repository.commit({ "dark.css": "black\n" }, "Add dark mode"),
      repository.commit({ "test.ts": "x\n" }, "Cover it with tests"),
      repository.commit({ "left.ts": "y\n" }, "Left out"),
    ];
    const [dark, test] = shas;
    model.play(() =>
      plans({
        reason: "Users will like it.",
        create: [
          { shas: [dark], name: "Dark mode", title: "Rest your eyes", body: "There is a dark mode now." },
        ],
        skip: [{ shas: [test, "f".repeat(40)], reason: "Tests." }],
      }),
    );
    await work();
    const [made, ...more] = await campaignsOf(project);
    assert.ok(made && more.length === 0);
    const { variants, sourceChanges } = await readCampaign(project, made.id);
    assert.deepEqual(variants[0]?.content, {
      presentation: "toast",
      title: "Rest your eyes",
      body: "There is a dark mode now.",
    });
    assert.deepEqual(sourceChanges.changes, [{ sourceId: "web", kind: "commit", sha: dark }]);
    const [run] = await runsOf(project);
    assert.ok(run);
    assert.deepEqual((run.output as { skips: unknown }).skips, [
      { commits: 1, reason: "Tests." },
      { commits: 1, reason: "The model left them out." },
    ]);
    const [draft] = await runsOf(project, "draft");
    assert.ok(draft);
    const { drafter } = draft.input as { drafter: string };
    const { usage } = draft.output as { usage: { calls: unknown[] } };
    assert.deepEqual([drafter, usage.calls.length, draft.rationale], ["writer@1", 1, "Users will like it."]);
    const { transcript } = await project.api.getAgentRunTranscript({ path: { id: draft.id } });
    assert.equal(transcript.entries.length, 1);
    assert.equal((await project.api.getAgentSettings()).ai.creditsUsed, 1);
    const [request, ...others] = model.server.requests;
    assert.ok(request && others.length === 0);
    const { changes, files, guidance } = documentOf(request) as {
      changes: { sha: string }[];
      files: { path: string; patch: string }[];
      guidance: string;
    };
    assert.deepEqual([changes.map(({ sha }) => sha), guidance], [shas, ""]);
    assert.match(files[0]?.patch ?? "", /\+black/);
    assert.ok(!JSON.stringify(request.body).includes("lease_"));
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("changes a draft instead of writing another one, and writes mail", async () => {
    const { repository, project } = await connected({});
    repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    const { id, variants } = await drafted(house, project);
    await setSettings(house, project, withModel());
    const darker = repository.commit({ "dark.css": "#111\n" }, "Make it darker");
    const report = repository.commit({ "report.ts": "x\n" }, "Export reports");
    const edits = [
      { variantId: variants[0]?.id, field: "title", before: "Dark mode", after: "A darker mode" },
    ];
    model.play(() =>
      plans({
        reason: "Both.",
        create: [
          {
            shas: [report],
            name: "Reports",
            channel: "email",
            subject: "Your reports",
            body: "# Export them",
          },
        ],
        revise: [{ shas: [darker], campaignId: id, edits }],
      }),
    );
    await work();
    assert.equal((await readCampaign(project, id)).sourceChanges.changes.length, 2);
    const [mail] = await campaignsOf(project);
    assert.deepEqual([mail?.name, mail?.channel], ["Reports", "email"]);
    const [request] = model.server.requests;
    assert.ok(request);
    const [draft] = documentOf(request).drafts as { campaignId: string; origin: string }[];
    assert.deepEqual([draft?.campaignId, draft?.origin], [id, "source"]);
  });

  it("writes nothing where the model fails, and asks it again later", async () => {
    const faulty: [answer: ModelAnswer, credits: number][] = [
      [refuses(400, "No such model"), 0],
      [saysOnly("I would rather not."), 1],
      [plans("no JSON at all"), 1],
      [{ body: "nonsense" }, 1],
      ["hang up", 0],
    ];
    for (const [answer, credits] of faulty) {
      const { repository, project } = await connected(withModel());
      repository.commit({ "dark.css": "black\n" }, "Add dark mode");
      model.play(() => answer);
      await work();
      await work();
      assert.deepEqual(await campaignsOf(project), [], JSON.stringify(answer));
      assert.ok((await project.api.getAgentSettings()).ai.creditsUsed >= credits);
      assert.equal((await project.agent.listDueRefs()).runsUsedToday, 1);
      // The lease runs out, and a minute later the work is due again.
      model.play(() => plans({ reason: "Skipped.", skip: [] }));
      house.advance(20 * 60_000);
      await work();
      assert.deepEqual(await dueOf(project), []);
      assert.deepEqual(await house.differences(project.projectId), {});
    }
  });

  it("writes what the server takes: a plan that it refuses gives the lease back, and changes nothing", async () => {
    const { repository, project } = await connected(withModel());
    const sha = repository.commit({ "dark.css": "black\n" }, "Add dark mode");
    model.play(() => plans({ reason: "R", create: [{ shas: [sha], name: "N", title: "Hi {{ nonsense" }] }));
    await work();
    assert.deepEqual(await campaignsOf(project), []);
    assert.equal((await project.agent.listDueRefs()).runsUsedToday, 1);
    assert.deepEqual((await runsOf(project)).length, 0);
    model.play(() => plans({ reason: "R", create: [{ shas: [sha], name: "N", title: "Hi" }] }));
    house.advance(60_000);
    await work();
    assert.deepEqual(
      (await campaignsOf(project)).map(({ name }) => name),
      ["N"],
    );
  });
});
