import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { explain, gateOf, shortly } from "../../../test/eligibility.ts";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../test/email.ts";
import { launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { clientOf } from "../../../test/people.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import { visitorIdOf } from "../../domain/visitors.pure.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

type Census = Answer<"takeCampaignCensus">;

const shortOf = ({ matched, alreadyDelivered, willReceive, visitors, missing }: Census) => ({
  matched,
  alreadyDelivered,
  willReceive,
  visitors,
  missing: missing.map((field) => `${field.users} of ${field.of}`),
});

const identify = (
  { api }: TestProject,
  named: { userId: string } | { anonymousId: string },
  traits: Record<string, string>,
) => api.identify({ body: { ...named, traits } });

describe("the census of a campaign", () => {
  it("counts users, and visitors beside; of a campaign for visitors alone it counts these", async () => {
    const project = await visitedProject(house);
    const onPro = { plan: "pro" };
    for (const userId of ["ada", "ben", "cleo"]) await identify(project, { userId }, onPro);
    await identify(project, { userId: "dora" }, { plan: "free" });
    await identify(project, { anonymousId: "one" }, { ...onPro, name: "One" });
    await identify(project, { anonymousId: "two" }, onPro);
    await identify(project, { anonymousId: "three" }, { plan: "free" });
    const message = { presentation: "toast" as const, title: "Hello", body: "Dear {{ user.name }}" };
    const make = (visitors: "none" | "also" | "only") =>
      launchCampaign(project, { visitors, message, targeting: { traits: onPro } });
    const [none, also, only] = [await make("none"), await make("also"), await make("only")];
    const census = async ({ id }: { id: string }) =>
      shortOf(await project.api.takeCampaignCensus({ path: { id } }));
    const ofUsers = { matched: 3, alreadyDelivered: 0, willReceive: 3, missing: ["3 of 3"] };
    assert.deepEqual(await census(none), { ...ofUsers, visitors: 0 });
    assert.deepEqual(await census(also), { ...ofUsers, visitors: 2 });
    const ofVisitors = { matched: 2, alreadyDelivered: 0, willReceive: 2, visitors: 2, missing: ["1 of 2"] };
    assert.deepEqual(await census(only), ofVisitors);
    await openBrowser(project, "one").messages();
    await messagesOf(project, "ada");
    assert.deepEqual(await census(also), {
      ...ofUsers,
      visitors: 2,
      alreadyDelivered: 1,
      willReceive: 2,
      missing: ["2 of 2"],
    });
    assert.deepEqual(await census(only), {
      ...ofVisitors,
      alreadyDelivered: 1,
      willReceive: 1,
      missing: ["1 of 1"],
    });
    const { client } = await clientOf(house, project.projectId, "editor");
    const reviewed = await client.reviewCampaign({
      path: { id: none.id },
      body: { patch: { visitors: "only" }, launch: false },
    });
    assert.deepEqual(
      [reviewed.changes.map(({ path }) => path), reviewed.audience.matched, reviewed.audience.visitors],
      [["visitors"], 2, 2],
    );
  });
});

describe("a campaign for visitors", () => {
  it("warns of a project that keeps none, before it is launched", async () => {
    const project = await house.project();
    const warnings = async (visitors: "none" | "also" | "only") => {
      const { id } = await launchCampaign(project, { visitors, launch: false });
      const census = await project.api.takeCampaignCensus({ path: { id } });
      return census.warnings.map(({ code, path }) => [code, path]);
    };
    assert.deepEqual(await warnings("none"), []);
    assert.deepEqual(await warnings("also"), [["visitors_off", "/visitors"]]);
    assert.deepEqual(await warnings("only"), [["visitors_off", "/visitors"]]);
    await setSettings(house, project, { "visitors.enabled": "true" });
    assert.deepEqual(await warnings("also"), []);
  });
});

describe("campaigns by mail", () => {
  it("meet no visitors, whatever is known of these: not in plans, explanations or counts", async () => {
    const project = await sendingProject(house, smtp.port);
    await setSettings(house, project, { "visitors.enabled": "true" });
    await people(project, ["ada"]);
    await identify(project, { anonymousId: "one" }, { email: "one@example.com" });
    const { id } = await launchEmail(project);
    const census = await project.api.takeCampaignCensus({ path: { id } });
    assert.deepEqual([census.matched, census.willReceive, census.visitors], [1, 1, 0]);
    const explanation = await explain(project, id, visitorIdOf("one"));
    assert.equal(shortly(explanation), "blocked by visitors");
    assert.equal(gateOf(explanation, "visitors").isVisitor, true);
    house.advance(MINUTE_MS);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 1);
    assert.deepEqual(
      (await project.api.listCampaignDeliveries({ path: { id } })).deliveries.map(
        ({ externalUserId }) => externalUserId,
      ),
      ["ada"],
    );
    assert.deepEqual(await house.differences(), {});
  });
});
