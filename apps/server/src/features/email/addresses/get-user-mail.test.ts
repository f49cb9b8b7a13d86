import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { sentMail, type TestMail } from "../../../../test/mail.ts";
import { clientOf } from "../../../../test/people.ts";

const house = testHouse();

const readerOf = ({ projectId }: TestProject, role: "viewer" | "editor" = "viewer") =>
  clientOf(house, projectId, role);

const press = (mail: TestMail, part: string): Promise<Response> => fetch(mail.link(part), { method: "POST" });

describe("getUserMail", () => {
  it("says that mail goes to an address, or since when and from which campaign it does not", async () => {
    const project = await house.project();
    const { client } = await readerOf(project);
    const stopOf = async (id = "anna") => (await client.getUserMail({ path: { id } })).stop;
    const mail = await sentMail(house, project);
    await project.api.identify({ body: { userId: "anna", traits: { email: mail.address } } });
    assert.deepEqual(await client.getUserMail({ path: { id: "anna" } }), {
      address: mail.address,
      isConfirmed: true,
      stop: null,
      receiptsStoppedBy: null,
      receiptsStoppedAt: null,
    });
    house.advance(10_000);
    await press(mail, "unsubscribe");
    const campaign = { id: `cmp_${mail.campaignId}`, name: "News" };
    const unsubscribed = { reason: "unsubscribed", since: house.now(), by: null, campaign };
    assert.deepEqual(await stopOf(), unsubscribed);
    // Another user has the same address: mail of the same campaign stopped it for both.
    await project.api.identify({ body: { userId: "twin", traits: { email: mail.address.toUpperCase() } } });
    assert.deepEqual(await stopOf("twin"), unsubscribed);
    house.advance(10_000);
    await press(mail, "resubscribe");
    assert.equal(await stopOf(), null);
    // What stands now was decided by a person: the mail of before has nothing to do with it.
    house.advance(10_000);
    const editor = await readerOf(project, "editor");
    await editor.client.suppressEmailAddress({ body: { address: mail.address } });
    const manual = { reason: "manual", since: house.now(), by: editor.person.name, campaign: null };
    assert.deepEqual(await stopOf(), manual);
  });

  it("says that there is no address, or that it is not confirmed, and knows no user of another project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { client } = await readerOf(project);
    const mailOf = (id: string) => client.getUserMail({ path: { id } });
    await project.sdk.identify({ body: { userId: "page", traits: { email: "page@example.com" } } });
    await project.api.identify({ body: { userId: "without", traits: { email: 7 } } });
    await project.api.identify({ body: { userId: "odd", traits: { email: "not an address" } } });
    await other.api.identify({ body: { userId: "theirs", traits: { email: "theirs@example.com" } } });
    assert.deepEqual(await mailOf("page"), {
      address: "page@example.com",
      isConfirmed: false,
      stop: null,
      receiptsStoppedBy: null,
      receiptsStoppedAt: null,
    });
    for (const id of ["without", "odd"]) assert.equal((await mailOf(id)).address, null, id);
    for (const id of ["theirs", "nobody"]) assert.equal((await refusal(mailOf(id))).status, 404, id);
  });
});
