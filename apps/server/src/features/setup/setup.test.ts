import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import fc from "fast-check";
import { install } from "../../../test/devices.ts";
import { setSettings } from "../../../test/email.ts";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestHouse, type TestProject, testHouse } from "../../../test/harness.ts";
import { startApns } from "../../../test/peers/apns.ts";
import { giveRole, makePerson } from "../../../test/people.ts";
import { putCredential } from "../../../test/push.ts";
import { openShop } from "../demo/open-shop.ts";
import { channelReach, reachLines, type SetupFacts } from "./rules.ts";

/** Pushes go to Apple itself, as on a server that serves users. None is sent here. */
const house = testHouse({ apnsUrl: null });

async function viewerOf(server: TestHouse, projectId: string) {
  const person = await makePerson(server);
  await giveRole(server, projectId, person, "viewer");
  return createPeopleClient(server.url, person.headers(projectId));
}

const SENDER = { "email.from": "Acme <news@acme.example>", "email.postalAddress": "1 Main Street" };

const steps = async (project: TestProject): Promise<string[]> => {
  const { evaluatedAt, reach: _, ...facts } = await (await viewerOf(house, project.projectId)).getSetup();
  assert.equal(evaluatedAt, house.now());
  return Object.entries(facts).flatMap(([name, isThere]) => (isThere ? [name] : []));
};

const reachIn = async (server: TestHouse, { projectId }: { projectId: string }) =>
  (await (await viewerOf(server, projectId)).getSetup()).reach;

describe("how far a project is put up", () => {
  it("says each step once it is done, of this project alone", async () => {
    const [project, other] = [await house.project(), await house.project()];
    assert.deepEqual(await steps(project), []);
    await messagesOf(project, "ada");
    assert.deepEqual(await steps(project), ["hasPageView"], "to ask for messages makes no user");
    await project.sdk.identify({ body: { userId: "ada" } });
    assert.deepEqual(await steps(project), ["hasPageView", "hasUser"]);
    await project.sdk.track({ body: { userId: "ada", event: "came" } });
    await project.api.createGoal({ body: { name: "Upgrades" } });
    await launchCampaign(project, { launch: false });
    await setSettings(house, project, SENDER);
    assert.deepEqual(await steps(project), [
      "hasPageView",
      "hasUser",
      "hasEvent",
      "hasGoal",
      "hasCampaign",
      "hasSender",
    ]);
    assert.deepEqual(await steps(other), []);
  });

  it("knows of events that are kept no longer", async () => {
    const project = await house.project();
    await project.sdk.track({ body: { userId: "ada", event: "came" } });
    await project.api.getMetrics();
    const { projectId } = project;
    await house.database.pool.query("delete from events where project_id = $1", [projectId]);
    assert.deepEqual(await steps(project), ["hasUser", "hasEvent"]);
  });

  it("does not take what a server brings for a page", async () => {
    const project = await house.project();
    await project.api.identifyBatch({
      body: { users: [{ userId: "ada", traits: { email: "a@b.example" } }] },
    });
    const { web_inapp, email } = await reachIn(house, project);
    assert.deepEqual([web_inapp, email], [["no_page"], ["mail_caught"]]);
  });
});

describe("why nobody gets a message", () => {
  it("is said of each channel, until it is so no more", async (t) => {
    const project = await house.project();
    assert.deepEqual(await reachIn(house, project), {
      web_inapp: ["no_page"],
      email: ["mail_caught", "no_address"],
      push: ["no_credential", "no_device"],
    });
    await messagesOf(project, "ada");
    assert.deepEqual((await reachIn(house, project)).web_inapp, ["no_user"]);
    await project.api.identify({ body: { userId: "ada", traits: { email: "ada@acme.example" } } });
    await setSettings(house, project, { "email.smtpUrl": "smtp://mail.example:587" });
    await install(project);
    const apns = await startApns({ clock: house.now });
    t.after(() => apns.close());
    await putCredential(project, apns.credential);
    assert.deepEqual(await reachIn(house, project), { web_inapp: [], email: [], push: [] });
  });

  it("is that the demo shop keeps its mail and its pushes", async () => {
    const { projectId } = await openShop(house.tidings.app);
    const { email, push } = await reachIn(house, { projectId });
    assert.ok(email.includes("mail_caught") && push.includes("push_caught"));
  });

  describe("on a server with a mail server and a stand-in for Apple", () => {
    const elsewhere = testHouse({ smtpUrl: "smtp://mail.example:587", apnsUrl: "https://127.0.0.1:9" });
    it("is not the outbox, and is the stand-in", async (t) => {
      const project = await elsewhere.project();
      assert.deepEqual((await reachIn(elsewhere, project)).email, ["no_address"]);
      const apns = await startApns({ clock: elsewhere.now });
      t.after(() => apns.close());
      await putCredential(project, apns.credential);
      assert.deepEqual((await reachIn(elsewhere, project)).push, ["push_caught", "no_device"]);
      const person = await makePerson(elsewhere);
      await giveRole(elsewhere, project.projectId, person, "editor");
      const editor = createPeopleClient(elsewhere.url, person.headers(project.projectId));
      const { campaign } = await editor.createCampaign({
        body: { name: "Draft", channel: "email", message: { subject: "Hi", body: "Text" } },
      });
      const review = await editor.reviewCampaign({ path: { id: campaign.id }, body: { launch: true } });
      assert.deepEqual(review.reach, ["no_address"], "a review says what there is of the campaign's channel");
    });
  });

  it("is nothing where a project has everything, and a sentence of its own for each reason", () => {
    const all: SetupFacts = {
      hasPageView: true,
      hasUser: true,
      hasAddress: true,
      hasDevice: true,
      mail: "server",
      push: "provider",
      isRefused: false,
    };
    assert.deepEqual(channelReach(all), { web_inapp: [], email: [], push: [] });
    const facts: fc.Arbitrary<SetupFacts> = fc.record({
      hasPageView: fc.boolean(),
      hasUser: fc.boolean(),
      hasAddress: fc.boolean(),
      hasDevice: fc.boolean(),
      mail: fc.constantFrom("server", "outbox", "none", null),
      push: fc.constantFrom("provider", "stand_in", "none"),
      isRefused: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (some) => {
        const remarks = Object.values(channelReach(some)).flat();
        assert.equal(new Set(reachLines(remarks)).size, remarks.length);
      }),
    );
  });
});
