import type { Policy } from "../../policy.ts";
import { converse } from "./converse.ts";
import { type Deadline, liveEndpoint } from "./endpoint.ts";
import { endpointFault } from "./endpoint-url.ts";
import type { Limits } from "./limits.ts";
import { liveTools } from "./tools.ts";

export { ReplayDifference, replayModel1 } from "./replay.ts";

const SECOND_MS = 1_000;
/** What can be sent in a header and found again in JSON: printable ASCII without blanks, quotes and backslashes. */
const KEY = /^[!#-[\]-~]+$/;

/** Which model is asked, and what that may take. `key` is null where the endpoint wants none. */
export type Model1Options = Limits & { url: string; model: string; key: string | null };

/** Time that is over after `seconds`, or when the runner stops. `end` leaves nothing behind. */
function startDeadline(seconds: number, stopping: AbortSignal): Deadline & { end(): void } {
  const over = new AbortController();
  const abort = () => over.abort();
  const endsAt = performance.now() + seconds * SECOND_MS;
  const timer = setTimeout(abort, seconds * SECOND_MS);
  stopping.addEventListener("abort", abort);
  return {
    signal: over.signal,
    remainingMs: () => endsAt - performance.now(),
    end() {
      clearTimeout(timer);
      stopping.removeEventListener("abort", abort);
    },
  };
}

/**
 * The policy `model@1`: a model behind an endpoint that speaks OpenAI's chat completions reads the snapshot and the messages, may ask
 * further, and decides. It never changes: runs name it, and are replayed with it; what should be asked otherwise is a new policy beside
 * this one. Whatever the model or its endpoint does wrong is the action `nothing`.
 * @throws TypeError for an address or key that cannot be used, without the key
 */
export function model1({ url, model, key, ...limits }: Model1Options): Policy {
  const fault = endpointFault(url);
  if (fault !== null) throw new TypeError(`agent.modelUrl ${fault}.`);
  if (key !== null && !KEY.test(key))
    throw new TypeError("agent.modelKey must be printable ASCII, without blanks, quotes and backslashes.");
  return {
    ...{ name: "model@1", usesModel: true, launches: true, maxSeconds: limits.maxSeconds },
    async decide({ snapshot, messages, api, signal }) {
      const deadline = startDeadline(limits.maxSeconds, signal);
      try {
        signal.throwIfAborted();
        return await converse({
          ...{ model, snapshot, messages, limits, signal },
          endpoint: liveEndpoint({ url, key }, deadline, signal),
          answerTool: liveTools(api, snapshot.campaignId, deadline),
        });
      } finally {
        deadline.end();
      }
    },
  };
}
