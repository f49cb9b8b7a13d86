import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import {
  claim,
  decideAs,
  leasedCampaign,
  type Mutation,
  makeGoal,
  mutate,
  propose,
} from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { launchCampaign, toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";

const house = testHouse({ publicUrl: "https://tidings.example" });
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const linking = (url: string) => ({ ...toast("Look"), cta: { label: "Go", url } });

/** A leased campaign under `auto` whose variant A people have linked to acme.example. */
async function made(project: TestProject, goal: Parameters<typeof makeGoal>[1] = {}) {
  const it = await leasedCampaign(house, project, { goal });
  const [a, b] = it.campaign.variants;
  assert.ok(a && b);
  const message = linking("https://acme.example/pro");
  await project.api.updateCampaign({ path: { id: it.id }, body: { variants: [{ id: a.id, message }] } });
  const to = (url: string): Mutation => ({ type: "update", variants: [{ id: b.id, message: linking(url) }] });
  return { ...it, a, b, to };
}

async function refused(answer: Promise<unknown>, host: string) {
  const { status, body } = await refusal(answer);
  const { error, payloadHash: _, ...rest } = body as Record<string, unknown>;
  assert.deepEqual(
    [status, rest],
    [
      403,
      {
        reason: "guardrail_violated",
        approvalRequired: false,
        guardrail: "links.allowedHosts",
        limit: 0,
        observed: 1,
        field: "variants[1].message.cta.url",
        host,
      },
    ],
  );
  assert.match(String(error), /which this campaign has not used before/);
}

const personOf = async (project: TestProject) => {
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, "approver");
  return createPeopleClient(house.url, person.headers(project.projectId));
};

describe("an agent under auto", () => {
  it("links where the campaign does, where the project allows, and to this server, and nowhere else", async () => {
    const project = await house.project();
    const it = await made(project);
    for (const [url, host] of [
      ["https://evil.example/login", "evil.example"],
      ["https://acme.example@evil.example/", "evil.example"],
      ["https://acme.example.evil.example/", "acme.example.evil.example"],
      ["https://www.acme.example/", "www.acme.example"],
      ["https:\\\\evil.example/", "evil.example"],
      ["https://асме.example/", "xn--80akut.example"],
      ["mailto:help@evil.example", "evil.example"],
    ] as const)
      await refused(mutate(project, it, it.to(url)), host);
    const app: Mutation = {
      type: "update",
      variants: [
        {
          id: it.b.id,
          message: {
            ...toast("Look"),
            cta: { label: "Go", destination: { kind: "app", url: "acmeapp://web?u=https://evil.example" } },
          },
        },
      ],
    };
    const { body } = await refusal(mutate(project, it, app));
    const { host, field, observed } = body as Record<string, unknown>;
    assert.deepEqual([host, field, observed], ["acmeapp:", "variants[1].message.cta.destination.url", 2]);
    for (const url of ["https://ACME.example:443/other", "/reports", "https://tidings.example/x"])
      await mutate(project, it, it.to(url));
    await setSettings(house, project, { "links.allowedHosts": "*.acme.example, shop.example" });
    for (const url of ["https://www.acme.example/", "https://shop.example/"])
      await mutate(project, it, it.to(url));
    await setSettings(house, project, { "links.allowedHosts": "" });
    await refused(mutate(project, it, it.to("https://evil.example/")), "evil.example");
  });

  it("is held to that with the secret key too, and cannot bring a host back that people took away", async () => {
    const project = await house.project();
    const it = await made(project);
    const { leaseToken, evaluationAt, id } = it;
    const mutation = it.to("https://evil.example/");
    const bySecret = project.api.mutateCampaign({
      path: { id },
      body: { leaseToken, evaluationAt, mutation },
    });
    await refused(bySecret, "evil.example");
    await mutate(project, it, it.to("https://acme.example/"));
    await project.api.updateCampaign({
      path: { id },
      body: { variants: [it.a, it.b].map((variant) => ({ id: variant.id, message: toast("Plain") })) },
    });
    await refused(mutate(project, it, it.to("https://acme.example/again")), "acme.example");
  });

  it("says nothing new of a mail's links in any spelling", async () => {
    const project = await house.project();
    const { id: goalId } = await makeGoal(project);
    const { campaign } = await project.api.createCampaign({
      body: {
        name: "Mail",
        channel: "email",
        goalId,
        message: { subject: "Hello", body: "See [our page](https://acme.example)" },
      },
    });
    await project.api.scheduleEvaluation({
      path: { id: campaign.id },
      body: { nextEvaluationAt: house.now() },
    });
    const { leaseToken, nextEvaluationAt: evaluationAt } = await claim(project, campaign.id);
    const it = { id: campaign.id, leaseToken, evaluationAt };
    const variantId = campaign.variants[0]?.id ?? "";
    const saying = (body: string): Mutation => ({
      type: "update",
      variants: [{ id: variantId, message: { subject: "Hello", body } }],
    });
    for (const body of [
      "[a](https://evil.example)",
      "[a][b]\n\n[b]: https://evil.example",
      "<https://evil.example>",
      "Go to evil.example now",
      "ev*il*.example",
      '{{ user.plan | default: "https://evil.example" }}',
      "![a](https://evil.example/a.png)",
      "[a](https&#58;//evil.example)",
    ]) {
      const { status, body: refusalBody } = await refusal(mutate(project, it, saying(body)));
      const { host, field } = refusalBody as Record<string, unknown>;
      assert.deepEqual([status, host, field], [403, "evil.example", "variants[0].message.body"], body);
    }
    await mutate(project, it, saying("Again: [our page](https://acme.example/{{ user.id }})"));
  });
});

describe("a proposal", () => {
  it("names the hosts that the campaign has not used, and an approval allows them for this campaign", async () => {
    const project = await house.project();
    const it = await made(project);
    await setSettings(house, project, { "links.allowedHosts": "shop.example" });
    const { proposal } = await propose(project, it, it.to("https://evil.example/x"));
    const newHosts = [{ variantId: it.b.id, field: "cta.url", host: "evil.example" }];
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.deepEqual(review.newHosts, newHosts);
    const person = await personOf(project);
    assert.deepEqual((await person.getApproval({ path: { id: proposal.id } })).review.newHosts, newHosts);
    await decideAs(house, project, proposal.id, "approved");
    const again = { ...it, ...(await claim(project, it.id)) };
    await mutate(project, again, it.to("https://evil.example/x"), { approvalId: proposal.id });
    await mutate(project, again, it.to("https://evil.example/y"));
  });

  it("names none for hosts that it may use, and for a launch", async () => {
    const project = await house.project();
    const it = await made(project, { approvalMode: "require_human" });
    const { proposal } = await propose(project, it, it.to("https://tidings.example/y"));
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.deepEqual(review.newHosts, []);
  });
});

describe("allowedHosts of a goal", () => {
  const violation = async (answer: Promise<unknown>) => {
    const { status, body } = await refusal(answer);
    const { guardrail, field, host } = body as Record<string, unknown>;
    return [status, guardrail, field, host];
  };

  it("holds for people and agents, in new and changed messages, by another goal and at launch", async () => {
    const project = await house.project();
    const { api } = project;
    const { id: goalId } = await makeGoal(project, {
      guardrails: { allowedHosts: ["Acme.Example", "acmeapp:"] },
    });
    const evil = linking("https://evil.example/");
    const expected = [409, "allowedHosts", "variants[0].message.cta.url", "evil.example"];
    const make = (message: object, goal: string | null) =>
      api.createCampaign({ body: { name: "C", goalId: goal, message: message as typeof evil } });
    assert.deepEqual(await violation(make(evil, goalId)), expected);
    const { campaign } = await make(linking("https://acme.example/"), goalId);
    const patch = (body: object) => api.updateCampaign({ path: { id: campaign.id }, body });
    assert.deepEqual(await violation(patch({ message: evil })), expected);
    const other = (await make(evil, null)).campaign;
    const linked = api.updateCampaign({ path: { id: other.id }, body: { goalId } });
    assert.deepEqual(await violation(linked), expected);
    await api.updateGoal({ path: { id: goalId }, body: { guardrails: { allowedHosts: ["shop.example"] } } });
    const launched = api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "launch" } });
    assert.deepEqual(await violation(launched), [409, "allowedHosts", expected[2], "acme.example"]);
    for (const wrong of [[], "acme.example", ["https://acme.example"], ["a.example, b.example"], [7]])
      assert.equal(
        (
          await refusal(
            api.updateGoal({ path: { id: goalId }, body: { guardrails: { allowedHosts: wrong } } }),
          )
        ).status,
        400,
      );
  });

  it("holds for proposals, whoever would approve them", async () => {
    const project = await house.project();
    const it = await made(project, { guardrails: { allowedHosts: ["acme.example"] } });
    assert.deepEqual(await violation(propose(project, it, it.to("https://evil.example/"))), [
      403,
      "allowedHosts",
      "variants[1].message.cta.url",
      "evil.example",
    ]);
  });

  it("pauses a campaign that runs once the goal does not allow its hosts any more", async () => {
    const project = await house.project();
    const { id: goalId } = await makeGoal(project);
    const { id } = await launchCampaign(project, { goalId, message: linking("https://acme.example/") });
    await project.api.updateGoal({
      path: { id: goalId },
      body: { guardrails: { allowedHosts: ["shop.example"] } },
    });
    await house.drain();
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.equal(campaign.status, "paused");
    const { runs } = await project.api.listAgentRuns({ query: { campaignId: id } });
    assert.match(String(runs[0]?.rationale), /^Paused: .*cta\.url links to acme\.example/);
  });
});
