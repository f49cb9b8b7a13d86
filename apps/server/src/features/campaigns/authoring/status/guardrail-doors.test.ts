import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claim, LAUNCH, mutate } from "../../../../../test/agent.ts";
import { toast } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { clientOf } from "../../../../../test/people.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { insertBreach } from "../../../guardrails/store.ts";
import { logRun } from "../../../runs/public.ts";
import { GUARDRAILS } from "../../goals/guardrails.pure.ts";

const house = testHouse();

const HOUR_MS = 3_600_000;
const SHA = "0123456789012345678901234567890123456789";

/** Limits that a campaign with `VARIANTS` breaks, one of each guardrail that is asked of a campaign at a door. */
const LIMITS = {
  maxActiveCampaigns: 0,
  forbiddenPhrases: ["bad"],
  allowedHosts: ["acme.example"],
  minControlShare: 0.5,
  quietUntil: "2099-01-01T00:00:00Z",
  // It asks whether the campaign was paused for it, and so do the other rates.
  maxUnsubscribeRate: 0.01,
} as const;
type Limit = keyof typeof LIMITS;
const LIKE_ANOTHER = ["maxComplaintRate", "minConversionRate"];
const OF_VERDICTS = ["errorBudget"];

const cta = { label: "Look", destination: { kind: "website" as const, url: "https://other.example/" } };
const VARIANTS = [
  { name: "A", weight: 40, isControl: true, message: { ...toast("Bad words"), cta } },
  { name: "B", weight: 60, message: toast("Other words") },
];

/** A goal, and a campaign that a door has prepared while the goal had no limits; null for one that is made at the door. */
type Scene = { project: TestProject; goalId: string };
type Prepared = { id: string | null; go: () => Promise<unknown> };
type Door = { prepare: (scene: Scene) => Promise<Prepared>; asks: readonly Limit[] };

const make = async ({ project, goalId }: Scene, body: object = {}) =>
  (await project.api.createCampaign({ body: { name: "Bad", goalId, variants: VARIANTS, ...body } })).campaign;

const status = ({ project }: Scene, id: string, action: "launch" | "pause") =>
  project.api.setCampaignStatus({ path: { id }, body: { action } });

/** A campaign whose evaluation an agent has claimed, with what is changed by it. */
async function leased(scene: Scene, body: object = {}) {
  const { project } = scene;
  const campaign = await make(scene, body);
  const path = { id: campaign.id };
  const evaluationAt = house.now();
  await project.api.scheduleEvaluation({ path, body: { nextEvaluationAt: evaluationAt } });
  const { leaseToken } = await claim(project, campaign.id);
  return { campaign, id: campaign.id, evaluationAt, leaseToken };
}

const NEW = ["forbiddenPhrases", "allowedHosts", "minControlShare"] as const;
const BEGINS = ["maxActiveCampaigns", ...NEW, "quietUntil"] as const;
const GOES_ON = [...BEGINS, "maxUnsubscribeRate"] as const;

/** Every way in which a campaign comes to users or is changed, with the guardrails that it asks. */
const DOORS: Readonly<Record<string, Door>> = {
  "a draft is made": {
    prepare: async (scene) => ({ id: null, go: () => make(scene) }),
    asks: NEW,
  },
  "a campaign is made and launched": {
    prepare: async (scene) => ({ id: null, go: () => make(scene, { launch: true }) }),
    asks: BEGINS,
  },
  "a draft is launched": {
    prepare: async (scene) => {
      const { id } = await make(scene);
      return { id, go: () => status(scene, id, "launch") };
    },
    asks: GOES_ON,
  },
  "a paused campaign is resumed": {
    prepare: async (scene) => {
      const { id } = await make(scene, { launch: true });
      await status(scene, id, "pause");
      return { id, go: () => status(scene, id, "launch") };
    },
    asks: GOES_ON,
  },
  "a person launches it although changes are not live": {
    prepare: async (scene) => {
      const { project } = scene;
      const { id } = await make(scene, {
        sourceChanges: { changes: [{ sourceId: "web", kind: "commit", sha: SHA }] },
      });
      const { client } = await clientOf(house, project.projectId, "approver");
      return { id, go: () => client.overrideLaunch({ path: { id }, body: { reason: "Now" } }) };
    },
    asks: GOES_ON,
  },
  "an expired campaign goes on": {
    prepare: async (scene) => {
      const { project } = scene;
      const { id } = await make(scene, { launch: true, deliverUntil: house.now() + HOUR_MS });
      house.advance(HOUR_MS);
      return { id, go: () => project.api.updateCampaign({ path: { id }, body: { deliverUntil: null } }) };
    },
    asks: GOES_ON,
  },
  "a running campaign takes the goal": {
    prepare: async (scene) => {
      const { project, goalId } = scene;
      const { id } = await make(scene, { goalId: null, launch: true });
      return { id, go: () => project.api.updateCampaign({ path: { id }, body: { goalId } }) };
    },
    asks: GOES_ON,
  },
  "the split of a running campaign is changed": {
    prepare: async (scene) => {
      const { project } = scene;
      const { id, variants } = await make(scene, { launch: true });
      const change = [{ id: variants[1]?.id ?? "", weight: 61 }];
      return { id, go: () => project.api.updateCampaign({ path: { id }, body: { variants: change } }) };
    },
    asks: NEW,
  },
  "an agent launches it": {
    prepare: async (scene) => {
      const it = await leased(scene);
      return { id: it.id, go: () => mutate(scene.project, it, LAUNCH) };
    },
    asks: GOES_ON,
  },
  "an agent changes its split": {
    prepare: async (scene) => {
      const it = await leased(scene, { launch: true });
      const variants = it.campaign.variants.map(({ id }, index) => ({ id, weight: [39, 61][index] ?? 0 }));
      return { id: it.id, go: () => mutate(scene.project, it, { type: "update", variants }) };
    },
    asks: NEW,
  },
  "it launches by itself": {
    prepare: async (scene) => {
      const { api } = scene.project;
      const { id } = await make(scene);
      const go = async () => {
        const { assessment } = await api.getCampaignActivation({ path: { id } });
        const unready = assessment.blockers.find(({ code }) => code === "readiness");
        if (unready !== undefined) throw new Error(unready.detail);
      };
      return { id, go };
    },
    asks: GOES_ON,
  },
};

/** A campaign that was paused for too many who unsubscribed, as the loop writes it. */
async function breach({ project: { projectId }, goalId }: Scene, id: string): Promise<void> {
  const campaignId = uuidFor("cmp", id);
  await house.database.kysely.transaction().execute(async (db) => {
    const run = {
      kind: "guardrail" as const,
      goalId: uuidFor("goal", goalId),
      campaignId,
      rationale: "Too many left",
    };
    const runId = await logRun({ db, projectId, now: house.now() }, { ...run, input: {}, output: {} });
    await insertBreach(db, projectId, {
      runId,
      campaignId,
      guardrail: "maxUnsubscribeRate",
      limitValue: 0.01,
      observed: 0.5,
      e: null,
      breachedAt: house.now(),
      counts: JSON.stringify({ all: 1_000, successes: 500 }),
    });
  });
}

/** The guardrail that refuses what is done, or null. */
async function refusedFor(go: () => Promise<unknown>): Promise<string | null> {
  const failure = await go().then(
    () => null,
    (error: unknown) => error,
  );
  if (failure === null) return null;
  const guardrail = await refusal(Promise.reject(failure)).then(
    ({ body }) => (body as { guardrail?: string }).guardrail,
    () => /guardrails\.(\w+)/.exec(String(failure))?.[1],
  );
  assert.ok(guardrail !== undefined, String(failure));
  return guardrail;
}

describe("each guardrail at each door", () => {
  it("is one of the table, or is asked elsewhere", () => {
    assert.deepEqual(
      [...Object.keys(LIMITS), ...LIKE_ANOTHER, ...OF_VERDICTS].sort(),
      [...GUARDRAILS].sort(),
    );
  });

  for (const [door, { prepare, asks }] of Object.entries(DOORS))
    it(`where ${door}`, async () => {
      const found: Record<string, string | null> = {};
      for (const limit of Object.keys(LIMITS) as Limit[]) {
        const project = await house.project();
        const goal = { name: "Goal", approvalMode: "auto" as const };
        const scene = { project, goalId: (await project.api.createGoal({ body: goal })).goal.id };
        const { id, go } = await prepare(scene);
        if (limit === "maxUnsubscribeRate" && id !== null) await breach(scene, id);
        const guardrails = { [limit]: LIMITS[limit] };
        await project.api.updateGoal({ path: { id: scene.goalId }, body: { guardrails } });
        found[limit] = await refusedFor(go);
      }
      const wanted = Object.keys(LIMITS).map((limit) => [
        limit,
        asks.some((each) => each === limit) ? limit : null,
      ]);
      assert.deepEqual(found, Object.fromEntries(wanted));
    });
});
