import { after, before } from "node:test";
import { canonicalHash } from "@tidings/agent";
import { type Model1Options, model1 } from "@tidings/agent/model-1";
import { launchCampaign, toast } from "./factories.ts";
import type { SharedHouse, TestProject } from "./harness.ts";
import { type Behaviour, type ModelServer, startModelServer } from "./peers/model-server.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";

/** The key that the endpoint of a test is given. */
export const MODEL_KEY = "sk-test-model-key-5b1f0c";

const LIMITS = { maxSteps: 8, maxTokens: 60_000, maxSeconds: 60 };

/** An endpoint for the tests of one file, which begins each time without requests. */
export function testModel(): { server: ModelServer; play(behaviour: Behaviour): void } {
  const made = {} as { server: ModelServer };
  before(async () => {
    keepSecrets(MODEL_KEY);
    made.server = await startModelServer();
  });
  after(() => made.server.close());
  return {
    get server() {
      return made.server;
    },
    play(behaviour) {
      made.server.requests.length = 0;
      made.server.behave(behaviour);
    },
  };
}

type Policy = ReturnType<typeof model1>;
export type Scene = Parameters<Policy["decide"]>[0];

/** A running campaign with two variants, as a policy is shown it, with a signal that stops it. */
export async function campaignScene(
  house: SharedHouse,
  project: TestProject,
  name = "Upgrade",
): Promise<{ scene: Scene; stop: AbortController; campaignId: string; variantIds: [string, string] }> {
  const { goal } = await project.api.createGoal({
    body: { name: "Upgrades", approvalMode: "auto", targetEvent: "paid" },
  });
  const { id } = await launchCampaign(project, {
    name,
    goalId: goal.id,
    variants: [
      { message: toast("Have a look"), weight: 50 },
      { message: toast("Look at this"), weight: 50 },
    ],
  });
  const { campaign } = await project.api.getCampaign({ path: { id } });
  const [a, b] = campaign.variants;
  if (a === undefined || b === undefined) throw new Error("A campaign has its variants.");
  const messages = Object.fromEntries(campaign.variants.map((each) => [each.id, each.content]));
  const stop = new AbortController();
  const snapshot: Scene["snapshot"] = {
    version: 1,
    takenAt: house.now(),
    campaignId: id,
    evaluationAt: house.now(),
    channel: campaign.channel,
    status: campaign.effectiveStatus,
    deliverUntil: null,
    goal: { id: goal.id, targetEvent: "paid", attributionDays: 7, approvalMode: "auto", limits: {} },
    variants: campaign.variants.map(({ id: variantId, isControl, weight, content }) => ({
      id: variantId,
      isControl,
      weight,
      contentHash: canonicalHash(content),
      matured: { exposedUsers: 100, convertedUsers: 7 },
      pending: null,
      comparison: null,
    })),
    statistics: null,
    sampleRatio: null,
    lastAllocatedAt: null,
    appliedHashes: [],
    proposals: [],
  };
  const scene = { snapshot, messages, api: project.agent, signal: stop.signal };
  return { scene, stop, campaignId: id, variantIds: [a.id, b.id] };
}

/** The policy with the endpoint of a test. */
export const policyWith = ({ url }: ModelServer, options: Partial<Model1Options> = {}): Policy =>
  model1({ url, model: "small-1", key: MODEL_KEY, ...LIMITS, ...options });
