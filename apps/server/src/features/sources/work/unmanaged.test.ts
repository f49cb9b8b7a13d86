import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeHouse, ownRepository } from "../../../../test/from-code.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { look, refused, workProject } from "../../../../test/source-work.ts";

const house = codeHouse();

describe("source work on a server that is no managed deployment", () => {
  it("is not offered: 501 for every operation and key, and nothing is kept of it", async () => {
    const project = await house.project();
    const refId = "ref_019b0000-0000-7000-8000-000000000000";
    const calls = [
      () => project.api.listDueRefs(),
      () => project.agent.listDueRefs(),
      () => project.agent.claimRef({ path: { refId }, body: {} }),
      () =>
        project.agent.reconcileRef({
          path: { refId },
          body: {
            leaseToken: "lease",
            sourceGeneration: 1,
            fromSha: null,
            toSha: "a".repeat(40),
            rationale: "R",
            ops: [{ op: "skip", shas: ["a".repeat(40)], reason: "R" }],
          },
        }),
    ];
    for (const call of calls)
      assert.deepEqual(await refused(call()), {
        status: 501,
        body: { error: "This operation is available on a managed deployment only." },
      });
  });

  it("has no refs, however much is looked at", { skip: WITHOUT_GIT }, async () => {
    const repository = ownRepository();
    await workProject(house, repository);
    repository.commit({ "a.css": "a\n" }, "Add A");
    await look(house);
    const refs = await house.database.kysely.selectFrom("sourceRefs").selectAll().execute();
    assert.deepEqual(refs, []);
  });
});
