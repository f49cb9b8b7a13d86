import type { Policy } from "../../policy.ts";
import { converse } from "./converse.ts";
import { startDeadline } from "./deadline.ts";
import { liveEndpoint } from "./endpoint.ts";
import type { ModelLimits } from "./limits.ts";
import { liveTools } from "./tools.ts";
import { assertUsable } from "./usable.ts";

export { ReplayDifference, replayModel1 } from "./replay.ts";

/** Which model is asked, and what that may take. `key` is null where the endpoint wants none; `send`: another way to it than fetch. */
export type Model1Options = ModelLimits & {
  url: string;
  model: string;
  key: string | null;
  send?: typeof fetch | undefined;
};

/**
 * The policy `model@1`: a model behind an endpoint that speaks OpenAI's chat completions reads the snapshot and the messages, may ask
 * further, and decides. It never changes: runs name it, and are replayed with it; what should be asked otherwise is a new policy beside
 * this one. Whatever the model or its endpoint does wrong is the action `nothing`.
 * @throws TypeError for an address or key that cannot be used, without the key
 */
export function model1({ url, model, key, send, ...limits }: Model1Options): Policy {
  assertUsable({ url, key });
  return {
    name: "model@1",
    usesModel: true,
    launches: true,
    maxSeconds: limits.maxSeconds,
    async decide({ snapshot, messages, api, signal }) {
      const deadline = startDeadline(limits.maxSeconds, signal);
      try {
        signal.throwIfAborted();
        return await converse({
          model,
          snapshot,
          messages,
          limits,
          signal,
          endpoint: liveEndpoint({ url, key, send }, deadline, signal),
          answerTool: liveTools(api, snapshot.campaignId, deadline),
        });
      } finally {
        deadline.end();
      }
    },
  };
}
