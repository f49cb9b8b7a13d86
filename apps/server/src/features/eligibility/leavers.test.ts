import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { event, expression, type Node, trait } from "../../../test/audience/trees.ts";
import { launchEmail, sendingProject } from "../../../test/email.ts";
import { launchCampaign, toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { addressRef, suppressAddress } from "../email/addresses/public.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const warned = async ({ api }: TestProject, id: string): Promise<(string | undefined)[]> =>
  (await api.takeCampaignCensus({ path: { id } })).warnings
    .filter(({ code }) => code === "left_elsewhere")
    .map(({ message }) => /trait (.+) says/.exec(message)?.[1]);

it("a census warns of users whose traits say that they left elsewhere, until no mail would reach them", async () => {
  const project = await sendingProject(house, smtp.port);
  const identify = (userId: string, traits: object) =>
    project.api.identify({ body: { userId, traits: { email: `${userId}@example.com`, ...traits } } });
  await identify("ada", { plan: "pro", unsubscribed: false, "Opted-out at": "", hardBounced: "no" });
  const { id } = await launchEmail(project, { launch: false });
  assert.deepEqual(await warned(project, id), [], "who stayed");

  await identify("bob", { unsubscribed: true });
  await identify("eve", { "Opted-out at": 1_700_000_000 });
  await identify("dan", { unsubscribed: { news: true } });
  assert.deepEqual(await warned(project, id), ["Opted-out at", "unsubscribed"]);

  const audienceOf = (root: Node) => ({ kind: "expression" as const, expression: expression(root) });
  const reads = audienceOf(trait("unsubscribed", "neq", true));
  const { id: careful } = await launchEmail(project, { launch: false, audience: reads });
  assert.deepEqual(await warned(project, careful), ["Opted-out at"], "the audience looks at one of them");
  const { id: others } = await launchEmail(project, { launch: false, audience: audienceOf(event("opened")) });
  assert.deepEqual(await warned(project, others), ["Opted-out at", "unsubscribed"]);
  const page = await launchCampaign(project, { launch: false, message: toast() });
  assert.deepEqual(await warned(project, page.id), [], "a page shows what it shows to whoever is there");

  for (const address of ["bob@example.com", "eve@example.com"])
    await suppressAddress(house.database.kysely, project.projectId, addressRef(project.projectId, address), {
      reason: "unsubscribed",
      at: house.now(),
    });
  assert.deepEqual(await warned(project, id), [], "none of them gets mail");
});
