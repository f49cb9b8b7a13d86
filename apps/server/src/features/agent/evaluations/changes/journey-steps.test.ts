import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { afterEach, describe, it } from "node:test";
import { createPeopleClient, type Input } from "@tidings/client";
import canonicalize from "canonicalize";
import {
  claim,
  complete,
  decideAs,
  type Mutation,
  makeGoal,
  mutate,
  propose,
} from "../../../../../test/agent.ts";
import { setSettings } from "../../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { journeyTests, mail, wait } from "../../../../../test/journeys.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";
import { exportText, importText } from "../../../../../test/portable.ts";

const house = testHouse();
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { mailOf, mailing, pass } = await journeyTests(house);

type GoalBody = Parameters<typeof makeGoal>[1];
type StepBody = Input<"createJourney">["body"]["steps"][number];
type JourneyMutation = Extract<Mutation, { type: "journey" }>;

/** A step that sends and has its mail already. */
const kept = (id: string): StepBody => ({ id, kind: "send", channel: "email" });

/** Other steps of a journey that is at its first version. */
const change = (steps: StepBody[], more: Partial<JourneyMutation> = {}): JourneyMutation => ({
  type: "journey",
  expectedVersion: 1,
  steps,
  ...more,
});

const STEPS = [mail("welcome"), wait("pause", 3, "days"), mail("reminder")];

/** A journey under a goal that leaves changes to agents, and the evaluation of one of its steps that an agent has claimed. */
async function leasedStep(
  project: Awaited<ReturnType<typeof mailing>>,
  { goal = {}, steps = STEPS, launch = true }: { goal?: GoalBody; steps?: StepBody[]; launch?: boolean } = {},
) {
  await setSettings(house, project, { "safety.maxConcurrentCampaigns": "5" });
  const { id: goalId } = await makeGoal(project, goal);
  const { journey } = await project.api.createJourney({
    body: { name: "Trial", goalId, entry: { on: "event", event: "trial_started" }, steps },
  });
  const path = { id: journey.id };
  if (launch) await project.api.setJourneyStatus({ path, body: { action: "launch" } });
  const campaignOf = (stepId: string): string => {
    const step = journey.steps.find(({ id }) => id === stepId);
    assert.ok(step?.kind === "send");
    return step.campaignId;
  };
  return { goalId, journey, path, campaignOf, ...(await leaseOf(project, campaignOf("welcome"))) };
}

async function leaseOf(project: TestProject, id: string) {
  const evaluationAt = house.now();
  await project.api.scheduleEvaluation({ path: { id }, body: { nextEvaluationAt: evaluationAt } });
  const { leaseToken } = await claim(project, id);
  return { id, evaluationAt, leaseToken };
}

/** What a refusal says of itself. */
async function refused(answer: Promise<unknown>) {
  const { status, body } = await refusal(answer);
  const { reason, error } = body as { reason?: string; error: string };
  return [status, reason ?? error];
}

const personOf = async ({ projectId }: TestProject, role: "approver" | "editor" = "approver") => {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, role);
  return createPeopleClient(house.url, person.headers(projectId));
};

const enter = async ({ api }: TestProject, userId: string) => {
  await api.track({ body: { userId, event: "trial_started" } });
  await house.drain();
};

const stepsOf = async ({ api }: TestProject, path: { id: string }) => {
  const { journey } = await api.getJourney({ path });
  return [journey.version, ...journey.steps.map(({ id }) => id)];
};

/** What is warned of in an answer: where, and what. */
const warned = ({ warnings = [] }: { warnings?: { path: string; code: string }[] | undefined }) =>
  warnings.map(({ path, code }) => [path, code]);

/** Users leave the wait for a mail that is new. */
const SHORTER = change([kept("welcome"), mail("offer"), kept("reminder")], { moves: { pause: "offer" } });

describe("a change of the steps of a journey", () => {
  it("is warned of what is likely a slip in the messages that it adds, wherever it is read", async () => {
    const project = await mailing(["ada"]);
    const it = await leasedStep(project);
    const slip = { ...mail("offer"), message: { subject: "Hello {{ user.emial }}", body: "<b>Hello</b>" } };
    const wanted = change([kept("welcome"), slip, kept("reminder")], { moves: { pause: "offer" } });
    const proposed = await propose(project, it, wanted);
    const found = [
      ["/mutation/steps/1/message/body", "html_as_text"],
      ["/mutation/steps/1/message/subject", "unobserved_trait"],
    ];
    assert.deepEqual(warned(proposed), found);
    const path = { id: proposed.proposal.id };
    assert.deepEqual(warned(await project.agent.getProposal({ path })), found);
    assert.deepEqual(warned(await (await personOf(project)).takeProposalCensus({ path })), found);
    await decideAs(house, project, path.id, "approved");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    assert.deepEqual(warned(await mutate(project, again, wanted, { approvalId: path.id })), found);
  });

  it("always waits for a person, who sees the steps before and after and who is where; then it is applied once", async () => {
    const project = await mailing(["ada", "bo"]);
    const it = await leasedStep(project);
    await enter(project, "ada");
    await pass(HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome"]);
    Object.assign(it, await leaseOf(project, it.id));
    assert.deepEqual(await refused(mutate(project, it, SHORTER)), [403, "approval_required"]);
    const { proposal } = await propose(project, it, SHORTER);
    assert.deepEqual(await stepsOf(project, it.path), [1, "welcome", "pause", "reminder"]);

    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.ok(review.journey);
    const { before, after, here, ...journey } = review.journey;
    assert.deepEqual(journey, {
      id: it.journey.id,
      name: "Trial",
      status: "running",
      version: 1,
      newHosts: [],
    });
    assert.deepEqual(
      before.map((step) => [step.id, step.kind, step.kind === "send" ? step.name : null]),
      [
        ["welcome", "send", "welcome"],
        ["pause", "wait", null],
        ["reminder", "send", "reminder"],
      ],
    );
    assert.deepEqual(
      after.map((step) => [
        step.id,
        step.kind === "send" && step.campaignId,
        step.kind === "send" && step.added,
      ]),
      [
        ["welcome", it.campaignOf("welcome"), null],
        [
          "offer",
          null,
          {
            topicId: null,
            pages: null,
            push: null,
            sendTime: null,
            priority: 3,
            patienceHours: 72,
            variants: [
              {
                name: "A",
                weight: 1,
                isControl: true,
                content: { subject: "offer", body: "This is offer." },
              },
            ],
          },
        ],
        ["reminder", it.campaignOf("reminder"), null],
      ],
    );
    assert.deepEqual(here, [{ stepId: "pause", users: 1, to: "offer" }]);
    assert.deepEqual([review.changes, review.texts, review.rendered, review.isStale], [[], [], [], false]);
    const approval = await (await personOf(project)).getApproval({ path: { id: proposal.id } });
    assert.deepEqual(approval.review.journey, review.journey);
    assert.deepEqual(
      [approval.messages, approval.claims, approval.restarts, approval.moved],
      [[], [], [], []],
    );
    assert.equal(hash("sha256", approval.payload), proposal.payloadHash);

    await decideAs(house, project, proposal.id, "approved");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    const answer = await mutate(project, again, SHORTER, { approvalId: proposal.id });
    assert.deepEqual([answer.applied, answer.status], [SHORTER, "running"]);
    assert.deepEqual(await stepsOf(project, it.path), [2, "welcome", "offer", "reminder"]);
    assert.deepEqual(await mutate(project, again, SHORTER, { approvalId: proposal.id }), answer);
    assert.equal((await project.agent.getProposal({ path: { id: proposal.id } })).proposal.state, "used");
    await pass(HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "offer", "reminder"]);
    const { campaigns } = await project.api.listCampaigns({ query: { journeyId: it.journey.id } });
    assert.deepEqual(campaigns.map(({ name, status }) => [name, status]).toSorted(), [
      ["offer", "running"],
      ["reminder", "running"],
      ["welcome", "running"],
    ]);

    await project.api.updateJourney({ path: it.path, body: { name: "Trial of 14 days" } });
    assert.deepEqual(await mutate(project, again, SHORTER), answer, "its steps are those of the change");
    const fewer = [kept("welcome"), kept("reminder")];
    await project.api.updateJourney({ path: it.path, body: { steps: fewer, moves: { offer: "reminder" } } });
    assert.deepEqual(await refused(mutate(project, again, SHORTER)), [409, "undone"]);
  });

  it("may take the step away under whose lease it is made, which ends its mail", async () => {
    const project = await mailing(["ada"]);
    const it = await leasedStep(project);
    const only = change([kept("reminder")], { moves: { welcome: "reminder", pause: "reminder" } });
    const { proposal } = await propose(project, it, only);
    await decideAs(house, project, proposal.id, "approved");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    assert.equal((await mutate(project, again, only, { approvalId: proposal.id })).status, "ended");
    assert.equal((await project.api.getCampaign({ path: { id: it.id } })).campaign.status, "ended");
    await complete(project, it.id, again.leaseToken, null);
  });

  it("changes a draft, whose messages are launched with it", async () => {
    const project = await mailing(["ada"]);
    const it = await leasedStep(project, { launch: false });
    const { proposal } = await propose(project, it, SHORTER);
    await decideAs(house, project, proposal.id, "approved");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    assert.equal((await mutate(project, again, SHORTER, { approvalId: proposal.id })).status, "draft");
    await project.api.setJourneyStatus({ path: it.path, body: { action: "launch" } });
    await enter(project, "ada");
    await pass(HOUR);
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "offer", "reminder"]);
  });

  it("is known by the hash of what was sent, word for word", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const date = { trait: "trial_ends", at: "09:00", zone: "user" };
    const audience = {
      kind: "expression" as const,
      expression: {
        version: 1,
        root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "exists" },
      },
    };
    const mutation = change(
      [
        kept("welcome"),
        { id: "near", kind: "wait", date },
        { id: "paying", kind: "if", audience, else: "end" },
        kept("reminder"),
        { ...mail("more"), pages: null, variants: undefined },
      ] as StepBody[],
      { moves: { pause: "near" } },
    );
    const { status, body } = await refusal(mutate(project, it, mutation));
    assert.equal(status, 403);
    const payload = canonicalize({
      campaignId: it.id,
      evaluationAt: it.evaluationAt,
      mutation: JSON.parse(JSON.stringify(mutation)),
    });
    const { payloadHash } = body as { payloadHash: string };
    assert.equal(payloadHash, hash("sha256", payload ?? ""));
    const { proposal } = await propose(project, it, mutation);
    assert.deepEqual(proposal.mutation, JSON.parse(JSON.stringify(mutation)));
    assert.equal(proposal.payloadHash, payloadHash);
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    const [, near, paying] = review.journey?.after ?? [];
    assert.deepEqual(near, { id: "near", kind: "wait", date: { ...date, days: 0 } });
    assert.ok(paying?.kind === "if" && paying.audience.kind === "expression");
    assert.match(paying.audience.summary, /plan/);
  });

  it("has room for the mails of a whole journey", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const long = (place: number): StepBody => ({
      ...mail(`mail-${place}`),
      message: { subject: "Long", body: `${place} ${"word ".repeat(8_000)}` },
    });
    const all = change([kept("welcome"), ...Array.from({ length: 6 }, (_, place) => long(place))], {
      moves: { pause: "end", reminder: "end" },
    });
    const { proposal } = await propose(project, it, all);
    await decideAs(house, project, proposal.id, "approved");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    await mutate(project, again, all, { approvalId: proposal.id });
    const more = change([...all.steps, long(6)], { expectedVersion: 2 });
    assert.equal((await refusal(propose(project, again, more))).status, 413);
    assert.equal((await stepsOf(project, it.path)).length, 8);
  });

  it("says of users whom it leaves nowhere, and of each of whom it does not", async () => {
    const project = await mailing(["ada"]);
    const it = await leasedStep(project);
    await enter(project, "ada");
    await pass(HOUR);
    Object.assign(it, await leaseOf(project, it.id));
    const { moves: _, ...nowhere } = SHORTER;
    const { status, body } = await refusal(propose(project, it, nowhere));
    const { reason, steps } = body as { reason: string; steps: unknown };
    assert.deepEqual([status, reason, steps], [409, "people_inside", [{ id: "pause", here: 1 }]]);
    assert.deepEqual(await stepsOf(project, it.path), [1, "welcome", "pause", "reminder"]);
  });
});

describe("a journey that was changed meanwhile", () => {
  it("is not changed by what was proposed before", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const { proposal } = await propose(project, it, SHORTER);
    await project.api.updateJourney({ path: it.path, body: { again: { afterDays: 3 } } });
    const person = await personOf(project);
    const { moved, changedBy } = await person.getApproval({ path: { id: proposal.id } });
    assert.deepEqual(moved, [{ path: "journey.version", before: 1, after: 2 }]);
    assert.deepEqual(changedBy, []);
    await assert.rejects(decideAs(house, project, proposal.id, "approved"), /can only be rejected/);
    await decideAs(house, project, proposal.id, "rejected");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    const anew = { ...SHORTER, moves: { pause: "reminder" } };
    const { status, body } = await refusal(propose(project, again, anew));
    const { reason, version } = body as { reason: string; version: number };
    assert.deepEqual([status, reason, version], [409, "stale_version", 2]);
    assert.equal((await propose(project, again, { ...anew, expectedVersion: 2 })).awaitingDecision, true);
  });

  it("keeps an approval from being applied, by a person of whom it says who", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const { proposal } = await propose(project, it, SHORTER);
    await decideAs(house, project, proposal.id, "approved");
    const person = await personOf(project, "editor");
    await person.setJourneyStatus({ path: it.path, body: { action: "pause" } });
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    assert.deepEqual(await refused(mutate(project, again, SHORTER, { approvalId: proposal.id })), [
      409,
      "approval_stale",
    ]);
    const { moved, changedBy } = await person.getApproval({ path: { id: proposal.id } });
    assert.deepEqual(moved, [{ path: "journey.status", before: "running", after: "paused" }]);
    assert.equal(changedBy.length, 1);
    assert.deepEqual(await stepsOf(project, it.path), [1, "welcome", "pause", "reminder"]);
  });

  it("is still the one that people have read where a text of a step that stays was edited", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const { proposal } = await propose(project, it, SHORTER);
    const { campaign } = await project.api.getCampaign({ path: { id: it.id } });
    const [variant] = campaign.variants;
    assert.ok(variant);
    const message = { subject: "Hello", body: "Hello." };
    await project.api.updateCampaign({
      path: { id: it.id },
      body: { variants: [{ id: variant.id, message }] },
    });
    await decideAs(house, project, proposal.id, "approved");
    const again = { ...it, leaseToken: (await claim(project, it.id)).leaseToken };
    await mutate(project, again, SHORTER, { approvalId: proposal.id });
  });

  it("takes one of two changes that were approved of different steps at once", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const other = await leaseOf(project, it.campaignOf("reminder"));
    const longer = change([
      ...STEPS.map(({ id, kind }) => (kind === "send" ? kept(id) : STEPS[1])),
      mail("last"),
    ] as StepBody[]);
    const approved = [];
    for (const [lease, mutation] of [
      [it, SHORTER],
      [other, longer],
    ] as const) {
      const { proposal } = await propose(project, lease, mutation);
      await decideAs(house, project, proposal.id, "approved");
      const { leaseToken } = await claim(project, lease.id);
      approved.push({ lease: { ...lease, leaseToken }, mutation, approvalId: proposal.id });
    }
    const results = await Promise.allSettled(
      approved.map(({ lease, mutation, approvalId }) => mutate(project, lease, mutation, { approvalId })),
    );
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await stepsOf(project, it.path))[0], 2);
  });
});

describe("what an agent may not propose", () => {
  const root = { kind: "field", field: { kind: "trait", key: "plan" }, op: "exists" };
  const REFUSED: readonly [string, readonly unknown[], RegExp][] = [
    ["no steps", [], /^mutation\.steps must/],
    ["a step that there is not", [{ id: "x", kind: "jump" }], /^mutation\.steps\[0\]\.kind must be one of/],
    [
      "an urgent mail",
      [{ ...mail("x"), urgent: true }],
      /^mutation\.steps\[0\]\.urgent is for people to decide/,
    ],
    [
      "a segment without its version",
      [{ id: "x", kind: "if", audience: { kind: "segment", segment: "big" }, else: "end" }],
      /^mutation\.steps\[0\]\.audience\.version is required/,
    ],
    ["a field that there is not", [{ ...kept("welcome"), text: "x" }], /^mutation\.steps\[0\]/],
    [
      "a number that cannot be written",
      [{ ...mail("x"), message: { subject: "x", body: "x", n: "INFINITE" } }],
      /^mutation\.steps\[0\]\.message\.n is a number that cannot be kept exactly/,
    ],
    [
      "another text of a mail that stays",
      [{ ...kept("welcome"), message: { subject: "x", body: "y" } }],
      /^mutation\.steps\[0\]: message of this message is changed at its campaign/,
    ],
    ["a mail without a text", [kept("new")], /^mutation\.steps\[0\]: exactly one of message and variants/],
    [
      "a way back",
      [
        kept("welcome"),
        {
          id: "back",
          kind: "if",
          audience: { kind: "expression", expression: { version: 1, root } },
          else: "welcome",
        },
      ],
      /^mutation\.steps\[1\]\.else must be a later step/,
    ],
    ["another kind of a step", [{ id: "welcome", kind: "end" }], /^mutation\.steps\[0\]\.kind must be send/],
    [
      "a step twice",
      [kept("welcome"), kept("welcome")],
      /^mutation\.steps\[1\]\.id is the id of another step/,
    ],
  ];
  for (const [what, steps, message] of REFUSED)
    it(`${what}, with the place`, async () => {
      const project = await mailing([]);
      const it = await leasedStep(project);
      const mutation = { ...change([]), steps };
      const body = JSON.stringify({
        campaignId: it.id,
        evaluationAt: it.evaluationAt,
        leaseToken: it.leaseToken,
        mutation,
      }).replace('"INFINITE"', "1e999");
      const answer = await fetch(new URL("/api/v1/agent/proposals", house.url), {
        method: "POST",
        headers: { authorization: `Bearer ${project.agentKey}`, "content-type": "application/json" },
        body,
      });
      assert.equal(answer.status, 400);
      assert.match(((await answer.json()) as { error: string }).error, message);
      assert.deepEqual(await stepsOf(project, it.path), [1, "welcome", "pause", "reminder"]);
    });

  it("steps of a journey of which the campaign is none", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const { campaign } = await project.api.createCampaign({
      body: { name: "Other", goalId: it.goalId, message: { presentation: "toast", title: "Hello" } },
    });
    const other = await leaseOf(project, campaign.id);
    const [status, error] = await refused(propose(project, other, SHORTER));
    assert.deepEqual(
      [status, error],
      [400, "mutation.type must not be journey: this campaign is no step of a journey"],
    );
  });

  it("words and links that the goal forbids", async () => {
    const project = await mailing([]);
    const goal = { guardrails: { forbiddenPhrases: ["free"], allowedHosts: ["acme.example"] } };
    const it = await leasedStep(project, { goal });
    for (const text of ["All of it is free.", "[Here](https://evil.example)"]) {
      const mutation = change([
        ...STEPS.map(({ id, kind }) => (kind === "send" ? kept(id) : STEPS[1])),
        { ...mail("x"), message: { subject: "x", body: text } },
      ] as StepBody[]);
      const { status, body } = await refusal(propose(project, it, mutation));
      const { reason, payloadHash } = body as { reason: string; payloadHash: string };
      assert.deepEqual([status, reason, payloadHash.length], [403, "guardrail_violated", 64]);
    }
  });

  it("what people have rejected for good", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const { proposal } = await propose(project, it, SHORTER);
    await decideAs(house, project, proposal.id, "rejected", { forGood: true });
    const next = house.now() + HOUR;
    await complete(project, it.id, (await claim(project, it.id)).leaseToken, next);
    house.at(next);
    const later = { ...it, evaluationAt: next, leaseToken: (await claim(project, it.id)).leaseToken };
    assert.deepEqual(await refused(propose(project, later, SHORTER)), [403, "proposal_rejected"]);
  });
});

describe("a proposal about a journey", () => {
  it("names links to hosts that no message of the journey has used", async () => {
    const project = await mailing([]);
    const linking = (id: string, host: string): StepBody => ({
      ...mail(id),
      message: { subject: id, body: `[Here](https://${host}/x)` },
    });
    const it = await leasedStep(project, { steps: [mail("welcome"), linking("known", "acme.example")] });
    const { proposal } = await propose(
      project,
      it,
      change([
        kept("welcome"),
        kept("known"),
        linking("old", "acme.example"),
        linking("new", "evil.example"),
      ]),
    );
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.deepEqual(review.journey?.newHosts, [
      { stepId: "new", variant: "A", field: "body", host: "evil.example" },
    ]);
  });

  it("goes with its project, and waits for nobody there", async () => {
    const project = await mailing([]);
    const it = await leasedStep(project);
    const { proposal } = await propose(project, it, SHORTER);
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    const { project: copy } = await importText(house, await exportText(house, project.projectId));
    const { proposals } = await copy.agent.listProposals();
    const [moved] = proposals;
    assert.ok(moved);
    const found = await copy.agent.getProposal({ path: { id: moved.id } });
    assert.equal(found.proposal.status, "rejected");
    const { journeys } = await copy.api.listJourneys();
    assert.equal(found.review.journey?.id, journeys[0]?.id);
    assert.notEqual(found.review.journey?.id, review.journey?.id);
    assert.equal(found.review.journey?.after.length, 3);
  });

  it("counts those inside the journey, where it is about the text of a step", async () => {
    const project = await mailing(["ada", "bo", "cy"]);
    const it = await leasedStep(project, { goal: { approvalMode: "require_human" } });
    await enter(project, "ada");
    await pass(HOUR);
    await enter(project, "bo");
    const { campaign } = await project.api.getCampaign({ path: { id: it.campaignOf("reminder") } });
    const lease = await leaseOf(project, campaign.id);
    const [variant] = campaign.variants;
    assert.ok(variant);
    const message = { subject: "Hello {{ user.nickname }}", body: "Hello." };
    const { proposal } = await propose(project, lease, {
      type: "update",
      variants: [{ id: variant.id, message }],
    });
    const { review } = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.deepEqual(review.audience, {
      summary: "users inside the journey Trial who come to its step reminder",
      matched: 2,
      delivered: 0,
      left: 2,
      visitors: 0,
    });
    assert.equal(review.journey, null);
    const census = await (await personOf(project)).takeProposalCensus({ path: { id: proposal.id } });
    assert.equal(census.matched, 2);
    assert.deepEqual(
      census.missing.map(({ field, users }) => [field, users]),
      [["user.nickname", 2]],
    );
    await pass(4 * DAY, DAY / 2);
    assert.deepEqual(mailOf(project, "ada"), ["welcome", "reminder"]);
    const later = await project.agent.getProposal({ path: { id: proposal.id } });
    assert.deepEqual([later.review.audience.matched, later.review.audience.delivered], [0, 2]);
  });
});
