import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input, TidingsError } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { insertSource } from "../store.ts";
import { listCurrentDeployments } from "./deployment-store.ts";

const house = testHouse();

type Report = Input<"recordDeployment">["body"];

/** A project with a source that is never looked at. */
async function withSource(): Promise<TestProject> {
  const project = await house.project();
  const source = { id: "web", url: "https://git.example/web.git", branch: "main" };
  await insertSource(
    house.database.kysely,
    project.projectId,
    { ...source, byOperator: false, credential: null, instructions: "" },
    house.now(),
  );
  return project;
}

const shaOf = (digit: string | number): string => String(digit).repeat(40).slice(0, 40);

const report = async ({ api }: TestProject, deploymentId: string, more: Partial<Report> = {}) =>
  (
    await api.recordDeployment({
      body: {
        deploymentId,
        sourceId: "web",
        environment: "production",
        sha: shaOf("a"),
        status: "success",
        ...more,
      },
    })
  ).deployment;

const currentOf = async ({ projectId }: TestProject) =>
  (await listCurrentDeployments(house.database.kysely, projectId, ["web"])).map((row) => row.deploymentKey);

describe("recordDeployment", () => {
  it("answers 201 at first and 200 to a repeat, which changes nothing", async () => {
    const project = await withSource();
    const body = { deploymentId: "1", sourceId: "web", environment: "production", sha: shaOf("a") };
    const request = () =>
      fetch(`${project.url}/api/v1/deployments`, {
        method: "POST",
        headers: { Authorization: `Bearer ${project.secretKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ ...body, status: "success", label: "v1" }),
      });
    const first = await request();
    const answer = (await first.json()) as { deployment: object };
    house.advance(1_000);
    const second = await request();
    assert.deepEqual([first.status, second.status], [201, 200]);
    assert.deepEqual(await second.json(), answer);
    const { deployments, total } = await project.api.listDeployments({});
    assert.deepEqual([deployments, total], [[answer.deployment], 1]);
  });

  it("counts the latest success, whatever the order, the number and the delay of reports", async () => {
    const day = 86_400_000;
    const reports: readonly (readonly [string, Partial<Report>])[] = [
      ["1", { sha: shaOf(1), deployedAt: house.now() - 3 * day }],
      ["2", { sha: shaOf(2), deployedAt: house.now() - 2 * day }],
      ["3", { sha: shaOf(3), deployedAt: house.now() - day }],
      ["3b", { sha: shaOf(4), deployedAt: house.now() - day }],
      ["4", { sha: shaOf(5), status: "failure" }],
      ["5", { sha: shaOf(6), status: "pending" }],
    ];
    for (const order of [reports, reports.toReversed(), [...reports.slice(3), ...reports]]) {
      const project = await withSource();
      for (const [id, more] of order) await report(project, id, more);
      assert.deepEqual(await currentOf(project), ["3b"]);
    }
  });

  it("counts the next one after those that were reported while the clock was ahead, which keep their order", async () => {
    const project = await withSource();
    const right = house.now();
    house.at(right + 366 * 86_400_000);
    for (const id of ["2", "1"]) {
      await report(project, id);
      house.advance(1);
    }
    house.at(right + 30_000);
    assert.deepEqual(await currentOf(project), ["1"]);
    await report(project, "3");
    assert.deepEqual(await currentOf(project), ["3"]);
    const { deployments } = await project.api.listDeployments({});
    assert.deepEqual(
      deployments.map(({ deploymentId }) => deploymentId),
      ["3", "1", "2"],
    );
  });

  it("takes a deployment from pending to its end, and never back", async () => {
    const project = await withSource();
    const pending = await report(project, "1", { status: "pending" });
    assert.deepEqual(await currentOf(project), []);
    house.advance(60_000);
    const ended = await report(project, "1");
    assert.deepEqual([ended.id, ended.status, ended.deployedAt], [pending.id, "success", house.now()]);
    assert.equal((await report(project, "1", { status: "pending" })).status, "success");
    for (const more of [{ status: "failure" as const }, { sha: shaOf("b") }, { label: "other" }])
      assert.equal((await refusal(report(project, "1", more))).status, 409);
    assert.deepEqual(await currentOf(project), ["1"]);
  });

  it("keeps one of many reports with the same id that come at once", async () => {
    const project = await withSource();
    const ended = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => report(project, "1", { sha: shaOf(index % 2) })),
    );
    const kept = ended.flatMap((each) => (each.status === "fulfilled" ? each.value.sha : []));
    assert.equal(new Set(kept).size, 1);
    assert.equal(kept.length, 4);
    for (const each of ended)
      if (each.status === "rejected") assert.equal((each.reason as TidingsError).status, 409);
    assert.equal((await project.api.listDeployments({})).total, 1);
  });

  it("refuses a source of nobody or of another project, and a future deployment", async () => {
    const project = await withSource();
    const other = await house.project();
    assert.equal((await refusal(report(project, "1", { sourceId: "app" }))).status, 404);
    assert.equal((await refusal(report(other, "1"))).status, 404);
    assert.equal((await report(project, "1", { deployedAt: house.now() + 60_000 })).status, "success");
    const { status, error } = await refusal(report(project, "2", { deployedAt: house.now() + 3_600_000 }));
    assert.deepEqual([status, error], [400, "deployedAt must not be in the future"]);
    const { deployments } = await project.api.listDeployments({ query: { environment: "staging" } });
    assert.deepEqual(deployments, []);
  });

  it("names the field that is wrong", async () => {
    const project = await withSource();
    for (const [more, field] of [
      [{ sha: "abc" }, "sha"],
      [{ status: "done" }, "status"],
      [{ environment: "" }, "environment"],
      [{ url: "javascript:alert(1)" }, "url"],
      [{ label: "x".repeat(201) }, "label"],
      [{ deployedAt: "soon" }, "deployedAt"],
      [{ colour: "red" }, "colour"],
    ] as const) {
      const { status, error } = await refusal(report(project, "1", more as Partial<Report>));
      assert.equal(status, 400);
      assert.ok(error.startsWith(field) || error.includes(`"${field}"`) || error.includes(field), error);
    }
    assert.equal((await project.api.listDeployments({})).total, 0);
  });
});
