import { canonicalHash, type Policy, statistical1 } from "@tidings/agent";

const REQUEST = { model: "counts", messages: [{ role: "user", content: "What now?" }] };
const CALL = {
  inputTokens: 100_000,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1_000,
  reasoningTokens: 0,
};

/** Decides as `statistical@1`, and says that a model was asked: what it used, and what it was asked and answered. */
const billed: Policy = {
  ...statistical1,
  async decide(scene) {
    const { decision } = await statistical1.decide(scene);
    const exchange = { request: REQUEST, response: { decision } };
    return {
      decision,
      usage: { model: "counts", calls: [CALL], isEstimated: false },
      transcript: [{ ...exchange, hash: canonicalHash(exchange) }],
    };
  },
};

/** Changes weights each time it looks, whatever it sees. No run of it can be replayed. */
const moving: Policy = {
  ...statistical1,
  name: "moving@1",
  decide: async ({ snapshot: { variants } }) => {
    const weights = variants.map(({ weight }) => (weight === 60 ? 40 : 60));
    const mutation = {
      type: "update" as const,
      variants: variants.map(({ id }, index) => ({ id, weight: weights[index] ?? 0 })),
    };
    const decision = { action: "move", mutation, reason: "It is time to move." };
    return { decision, usage: null, transcript: [] };
  },
};

/** The policies that runners are tried with. */
export const POLICIES = { statistical: statistical1, billed, moving } as const satisfies Record<
  string,
  Policy
>;

export type PolicyName = keyof typeof POLICIES;
