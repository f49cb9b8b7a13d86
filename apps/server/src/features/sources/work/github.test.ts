import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import {
  activationOf,
  announce,
  commitChange,
  decideLaunch,
  mapTo,
  ownRepository,
  statusOf,
  waitsFor,
} from "../../../../test/from-code.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { type GithubServer, startGithubServer } from "../../../../test/peers/github-server.ts";
import { type Repository, WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { exportText } from "../../../../test/portable.ts";
import { keepSecrets } from "../../../../test/secrets/secrets-of-the-run.ts";
import {
  type Claim,
  creating,
  dueOf,
  look,
  managedHouse,
  planFor,
  readCampaign,
  reconcile,
} from "../../../../test/source-work.ts";
import { sealSourceCredential } from "../registry/credential.ts";
import { insertSource } from "../registry/store.ts";

const house = managedHouse();
const TOKEN = "ghp_test_token_4f1c0b7d";
keepSecrets(TOKEN);

type World = { repository: Repository; github: GithubServer; project: TestProject };

/** A repository at GitHub, and a project whose source it is from now on. */
async function connected(): Promise<World> {
  const repository = ownRepository();
  const github = await startGithubServer(repository, TOKEN, house.now);
  after(() => github.close());
  const project = await house.project();
  const { projectId } = project;
  const sealed = { kind: "basic" as const, user: "x-access-token", password: TOKEN };
  const credential = sealSourceCredential(house.tidings.app.secrets, projectId, "web", sealed);
  const source = {
    id: "web",
    kind: "github" as const,
    url: github.url,
    branch: "main",
    byOperator: true,
    instructions: "",
  };
  await insertSource(house.database.kysely, projectId, { ...source, credential }, house.now());
  await look(house);
  return { repository, github, project };
}

/** Opens a pull request with a commit for each of these files. */
function openPull({ repository, github }: World, number: number, ...files: string[]): string[] {
  repository.branch(`pull-${number}`, "main");
  const shas = files.map((file) => repository.commit({ [file]: `${file}\n` }, `Add ${file}`));
  repository.checkout("main");
  house.advance(1_000);
  github.pull(number, { head: shas.at(-1) ?? "" });
  return shas;
}

async function claimOf({ project }: World, refKey: string): Promise<Claim> {
  await look(house);
  const ref = (await dueOf(project)).find((each) => each.refKey === refKey);
  assert.ok(ref, `${refKey} is due`);
  const answer = await project.agent.claimRef({ path: { refId: ref.refId }, body: {} });
  assert.ok(answer.state === "claimed", `${refKey} is claimed`);
  return answer.claim;
}

/** What claiming a ref comes to that is due. */
async function stateOf({ project }: World, refKey: string): Promise<string> {
  await look(house);
  const ref = (await dueOf(project)).find((each) => each.refKey === refKey);
  assert.ok(ref, `${refKey} is due`);
  return (await project.agent.claimRef({ path: { refId: ref.refId }, body: {} })).state;
}

/** Drafts one campaign of all that a ref has brought. */
async function draftOf(world: World, refKey: string) {
  const claim = await claimOf(world, refKey);
  const shas = claim.changes.map(({ sha }) => sha);
  const { campaigns } = await reconcile(world.project, claim, planFor(claim, [creating(shas)]));
  return readCampaign(world.project, campaigns[0]?.campaignId ?? "");
}

/** Squashes a pull request into main, as GitHub does. */
function squash({ repository, github }: World, number: number): string {
  const head = repository.tip(`pull-${number}`);
  repository.git("merge", "--squash", "--quiet", `pull-${number}`);
  repository.git("commit", "--quiet", "-m", `Pull ${number} (#${number})`);
  const merge = repository.tip();
  house.advance(1_000);
  const at = new Date(house.now()).toISOString();
  github.pull(number, { head, state: "closed", merged_at: at, merge_commit_sha: merge });
  return merge;
}

const keysOf = async ({ project }: World) => (await dueOf(project)).map(({ refKey }) => refKey).sort();

describe("a source at GitHub", { skip: WITHOUT_GIT }, () => {
  it("has a ready pull request drafted before it is merged, and launched once it is deployed", async () => {
    const world = await connected();
    const { github, project } = world;
    await mapTo(house, project);
    const shas = openPull(world, 7, "a.css", "b.css");
    const claim = await claimOf(world, "pr:7");
    assert.deepEqual(
      claim.changes.map(({ sha }) => sha),
      shas,
    );
    assert.deepEqual([claim.fromSha, claim.toSha], [world.repository.tip("main"), shas[1]]);
    const done = await reconcile(project, claim, planFor(claim, [creating(shas)]));
    const id = done.campaigns[0]?.campaignId ?? "";
    assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, [
      { sourceId: "web", kind: "pull_request", number: 7, shas },
    ]);
    await look(house);
    assert.deepEqual(await waitsFor(project, id), ["approval", "source_pending", "deployment"]);
    await decideLaunch(house, project, id);
    const merge = squash(world, 7);
    // The merge is what was drafted already: nothing is announced twice.
    assert.equal(await stateOf(world, "branch"), "settled");
    await look(house);
    assert.deepEqual(await keysOf(world), []);
    assert.equal((await project.api.listCampaigns()).total, 1);

    github.deploy(1, merge, "in_progress");
    await look(house);
    assert.equal(await statusOf(project, id), "draft");
    github.deploy(1, merge, "success");
    await look(house);
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
    const [evidence] = (await activationOf(project, id)).launch?.evidence ?? [];
    assert.deepEqual(
      [evidence?.provider, evidence?.revision, evidence?.label, evidence?.url],
      ["github", merge, "main", "https://acme.example/"],
    );
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("takes a draft back whose pull request is reverted after it was merged", async () => {
    const world = await connected();
    const { repository, project } = world;
    openPull(world, 8, "a.css", "b.css");
    const { id } = await draftOf(world, "pr:8");
    const merge = squash(world, 8);
    assert.equal(await stateOf(world, "branch"), "settled");
    const rows = await house.database.kysely
      .selectFrom("sourceContributions")
      .select("landed")
      .where("projectId", "=", project.projectId)
      .execute();
    assert.deepEqual(rows, [{ landed: [merge] }]);
    repository.git("revert", "--no-edit", "HEAD");
    assert.equal(await stateOf(world, "branch"), "settled");
    assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, []);
    assert.ok((await waitsFor(project, id)).includes("withdrawn"));
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("drafts no open pull request of a stranger, until a label or a setting says so", async () => {
    const world = await connected();
    const { github, project, repository } = world;
    const NONE = { author_association: "NONE" };
    const stranger = { ...NONE, fork: "stranger/web" };
    for (const number of [1, 2, 3]) openPull(world, number, `${number}.css`);
    const head = (number: number) => ({ head: repository.tip(`pull-${number}`) });
    github.pull(1, { ...head(1), ...stranger });
    // GitHub does not show every member as one; a branch in the repository takes leave to write there.
    github.pull(2, { ...head(2), ...NONE });
    github.pull(3, { ...head(3), fork: "member/web", author_association: "COLLABORATOR" });
    await look(house);
    assert.deepEqual(await keysOf(world), ["pr:2", "pr:3"]);

    await setSettings(house, project, { "drafts.pullRequestLabel": "draft it" });
    const labels = [{ name: "bug" }, { name: "draft it" }];
    github.pull(1, { ...head(1), ...stranger, labels });
    await look(house);
    assert.deepEqual(await keysOf(world), ["pr:1", "pr:2", "pr:3"]);
    github.pull(1, { ...head(1), ...stranger, labels: [] });
    house.advance(1_000);
    await look(house);
    assert.deepEqual(await keysOf(world), ["pr:2", "pr:3"]);

    await setSettings(house, project, { "drafts.pullRequests": "everyone" });
    await look(house);
    assert.deepEqual(await keysOf(world), ["pr:1", "pr:2", "pr:3"]);
    // A draft that is there already stays with its pull request.
    const { id } = await draftOf(world, "pr:1");
    await setSettings(house, project, { "drafts.pullRequests": "members" });
    await look(house);
    assert.equal((await readCampaign(project, id)).sourceChanges.changes.length, 1);
    github.pull(1, { ...head(1), ...stranger, state: "closed" });
    assert.equal(await stateOf(world, "pr:1"), "settled");
    assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("misses no pull request that changed at the same instant as one that was read", async () => {
    const world = await connected();
    openPull(world, 1, "a.css");
    await look(house);
    const at = new Date(house.now()).toISOString();
    world.github.pull(1, { head: world.repository.tip("pull-1"), updated_at: at });
    await look(house);
    openPull(world, 2, "b.css");
    world.github.pull(2, { head: world.repository.tip("pull-2"), updated_at: at });
    await look(house);
    assert.deepEqual(await keysOf(world), ["pr:1", "pr:2"]);
  });

  it("drafts what was merged unseen, and names its pull request", async () => {
    const world = await connected();
    openPull(world, 3, "a.css");
    const merge = squash(world, 3);
    const claim = await claimOf(world, "branch");
    assert.deepEqual(
      claim.changes.map(({ sha, pullRequests }) => [sha, pullRequests]),
      [[merge, [{ number: 3, mergedHeadSha: world.repository.tip("pull-3") }]]],
    );
  });

  it("takes a draft back whose pull request is closed, or is a draft again, and leaves drafts alone", async () => {
    const world = await connected();
    const { github, project } = world;
    for (const [number, change] of [
      [1, { state: "closed" as const }],
      [2, { draft: true }],
    ] as const) {
      const [sha = ""] = openPull(world, number, `${number}.css`);
      const { id } = await draftOf(world, `pr:${number}`);
      house.advance(1_000);
      github.pull(number, { head: sha, ...change });
      assert.equal(await stateOf(world, `pr:${number}`), "settled");
      assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, []);
      assert.ok((await waitsFor(project, id)).includes("withdrawn"));
      await look(house);
      assert.deepEqual(await keysOf(world), []);
      // Ready again, it is news again.
      house.advance(1_000);
      github.pull(number, { head: sha, state: "open", draft: false });
      await look(house);
      assert.deepEqual(await keysOf(world), [`pr:${number}`]);
      house.advance(1_000);
      github.pull(number, { head: sha, state: "closed", draft: false });
      await look(house);
    }
    const [sha = ""] = openPull(world, 4, "draft.css");
    github.pull(4, { head: sha, draft: true });
    const [other = ""] = openPull(world, 5, "elsewhere.css");
    github.pull(5, { head: other, base: { ref: "release", repo: { full_name: "acme/web" } } });
    await look(house);
    assert.deepEqual(await keysOf(world), []);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("follows a pull request that is rebased and grows, with one declared change for all of it", async () => {
    const world = await connected();
    const { repository, github, project } = world;
    const [first = ""] = openPull(world, 9, "a.css");
    const { id } = await draftOf(world, "pr:9");
    repository.commit({ "other.ts": "x\n" }, "Meanwhile on main");
    repository.checkout("pull-9");
    repository.git("rebase", "--quiet", "main");
    const rebased = repository.tip();
    const second = repository.commit({ "b.css": "b\n" }, "Add b.css");
    repository.checkout("main");
    house.advance(1_000);
    github.pull(9, { head: second });
    const claim = await claimOf(world, "pr:9");
    assert.notEqual(rebased, first);
    assert.deepEqual(
      claim.changes.map(({ sha }) => sha),
      [second],
    );
    const draft = claim.drafts.find(({ campaignId }) => campaignId === id);
    const patch = { name: { before: draft?.campaign.name ?? "", after: "A and B" } };
    const op = { op: "revise" as const, shas: [second], campaignId: id, patch };
    await reconcile(project, claim, planFor(claim, [{ ...op, baseContentHash: draft?.contentHash ?? "" }]));
    assert.deepEqual((await readCampaign(project, id)).sourceChanges.changes, [
      { sourceId: "web", kind: "pull_request", number: 9, shas: [rebased, second] },
    ]);
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  it("proves by the host's merge commit what git alone cannot", async () => {
    const world = await connected();
    const { repository, github, project } = world;
    await mapTo(house, project);
    // A person resolved conflicts while merging, so that nothing of it is as it was in the pull request.
    const shas = openPull(world, 5, "a.css", "b.css");
    const { id } = await announce(project, [{ sourceId: "web", kind: "pull_request", number: 5, shas }]);
    await decideLaunch(house, project, id);
    const merge = repository.commit({ "a.css": "something else\n" }, "Pull 5, by hand (#5)");
    github.deploy(1, merge, "success");
    await look(house);
    await house.drain();
    assert.deepEqual(await waitsFor(project, id), ["source_pending", "deployment"]);
    house.advance(1_000);
    const at = new Date(house.now()).toISOString();
    github.pull(5, { head: shas[1] ?? "", state: "closed", merged_at: at, merge_commit_sha: merge });
    await look(house);
    await house.drain();
    assert.equal(await statusOf(project, id), "running");
  });

  it("records deployments of mapped environments once, and what became of them", async () => {
    const world = await connected();
    const { repository, github, project } = world;
    await mapTo(house, project);
    const sha = repository.tip();
    github.deploy(1, sha, "failure");
    github.deploy(2, sha, null);
    github.deploy(3, sha, "success", "staging");
    github.deploy(4, sha, "success");
    house.advance(1_000);
    github.deploy(4, sha, "inactive");
    await look(house);
    const statusesOf = async () => {
      const { deployments } = await project.api.listDeployments({ query: { sourceId: "web" } });
      return deployments.map(({ deploymentId, status, provider }) => [deploymentId, status, provider]).sort();
    };
    assert.deepEqual(await statusesOf(), [
      ["1", "failure", "github"],
      ["2", "pending", "github"],
      ["4", "success", "github"],
    ]);
    github.requests.length = 0;
    github.deploy(2, sha, "error");
    await look(house);
    assert.deepEqual((await statusesOf())[1], ["2", "failure", "github"]);
    const singles = github.requests.filter((path) => path.endsWith("/statuses"));
    assert.deepEqual(
      singles.map((path) => path.split("/").at(-2)),
      ["2"],
    );
  });

  it("launches nothing for a deployment that was put away without a success, and launches once it succeeds", async () => {
    const world = await connected();
    const { repository, github, project } = world;
    await mapTo(house, project);
    github.deploy(1, repository.tip(), "success");
    await look(house);
    const feature = repository.commit({ "dark.css": "dark\n" }, "Add dark mode");
    const { id } = await announce(project, [commitChange(feature)]);
    await decideLaunch(house, project, id);
    const say = (deployment: number, ...states: string[]): void => {
      for (const state of states) {
        house.advance(1_000);
        github.deploy(deployment, feature, state);
      }
    };
    const ended = async () =>
      (await project.api.listDeployments({ query: { sourceId: "web" } })).deployments
        .map(({ deploymentId, status }) => [deploymentId, status])
        .sort();
    say(2, "in_progress", "failure", "inactive");
    // A build that was skipped.
    say(3, "inactive");
    await look(house);
    assert.deepEqual(
      [await statusOf(project, id), await waitsFor(project, id), await ended()],
      [
        "draft",
        ["deployment"],
        [
          ["1", "success"],
          ["2", "failure"],
          ["3", "failure"],
        ],
      ],
    );
    // It is run again, and more statuses follow than one page has.
    say(3, "queued", "success", ...Array.from({ length: 120 }, () => "inactive"));
    const at = house.now() - 120_000;
    await look(house);
    assert.equal(await statusOf(project, id), "running");
    const { deployments } = await project.api.listDeployments({ query: { sourceId: "web" } });
    const live = deployments.find(({ deploymentId }) => deploymentId === "3");
    assert.deepEqual([live?.status, live?.deployedAt], ["success", at]);
  });

  it("says why it cannot be read, and keeps what it knows", async () => {
    const world = await connected();
    const { github, project } = world;
    for (const [status, reason, headers] of [
      [401, "auth", {}],
      [404, "not_found", {}],
      [403, "unavailable", { "x-ratelimit-remaining": "0" }],
      [301, "not_found", { location: "https://elsewhere.example/" }],
      [500, "unavailable", {}],
    ] as const) {
      github.failWith(status, headers);
      for (let failures = 0; failures < 3; failures++) await look(house);
      const [source] = (await project.api.listSources()).sources;
      assert.deepEqual([source?.kind, source?.state, source?.reason], ["github", "unavailable", reason]);
      github.failWith(null);
      await look(house);
      assert.equal((await project.api.listSources()).sources[0]?.state, "ok");
    }
    for (const text of [
      JSON.stringify(await project.api.listSources()),
      await exportText(house, project.projectId, true),
    ])
      assert.ok(text.includes(github.url) && !text.includes(TOKEN));
  });
});
