import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { announce, commitChange, launchedFromCode } from "../../../../test/from-code.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";

const house = testHouse();

type Listed = {
  announcements: {
    campaign: { name: string; status: string };
    activation: {
      assessment: { blockers: { code: string }[] };
      launch: { mode: string } | null;
      warnings: [];
    };
  }[];
  total: number;
  pageCount: number;
};

async function viewerOf(project: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, "viewer");
  return async (query = ""): Promise<{ status: number } & Listed> => {
    const response = await fetch(`${house.url}/api/people/announcements${query}`, {
      headers: person.headers(project.projectId),
    });
    return { status: response.status, ...((await response.json()) as Listed) };
  };
}

const namesOf = ({ announcements }: Listed) => announcements.map(({ campaign }) => campaign.name);

describe("listAnnouncements", () => {
  it("lists campaigns that announce changes, with what each waits for or how it was launched", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await launchedFromCode(house, project);
    await announce(project, [], { name: "Announces nothing" });
    house.advance(1_000);
    await announce(project, [commitChange("e".repeat(40), "unknown")], { name: "Goes nowhere" });
    await announce(other, [commitChange("e".repeat(40))], { name: "Of another project" });
    const list = await viewerOf(project);
    const all = await list();
    assert.deepEqual([all.status, all.total, all.pageCount], [200, 3, 1]);
    assert.deepEqual(namesOf(all).toSorted(), ["From code", "From code, waits", "Goes nowhere"]);
    assert.equal(namesOf(all)[0], "Goes nowhere");
    const [nowhere] = all.announcements;
    assert.deepEqual(
      nowhere?.activation.assessment.blockers.map(({ code }) => code),
      ["manual", "approval", "mapping"],
    );
    const launched = await list("?state=launched");
    assert.deepEqual(namesOf(launched), ["From code"]);
    const [from] = launched.announcements;
    assert.deepEqual(
      [from?.campaign.status, from?.activation.launch?.mode, from?.activation.warnings.length],
      ["ended", "automatic", 1],
    );
    assert.deepEqual(namesOf(await list("?state=waiting&perPage=1&page=2")), ["From code, waits"]);
    assert.deepEqual(namesOf(await list("?page=9")), []);
    for (const query of ["?state=x", "?perPage=101", "?page=0", "?q=x"])
      assert.equal((await list(query)).status, 400, query);
    assert.deepEqual(namesOf(await (await viewerOf(other))()), ["Of another project"]);
  });
});
