import { type Client, TidingsError } from "@tidings/client";
import { cutJson } from "./cut-json.ts";
import type { Deadline } from "./endpoint.ts";
import { isObject, type Json } from "./plain.ts";
import { shownCapabilities, shownRun } from "./shown.ts";

/** As many tools of one answer are run; further ones are answered that they are too many. */
const MAX_AT_ONCE = 8;
const MAX_EVENT = 80;
const RUNS = 10;
const MAX_PAGE = 1_000;

/** What a tool that reads is given in the request, and what it does. Descriptions and parameters are part of `model@1`. */
type ReadingTool = {
  description: string;
  parameters: { type: "object"; additionalProperties: false; required?: string[]; properties: Json };
  /** Throws `Mistake` for what the model can do better. */
  read(api: Client, campaignId: string, input: Json): Promise<unknown>;
};

/** What the model did wrong, in a sentence for it. */
class Mistake extends Error {}

function refuseOthers(input: Json, known: readonly string[]): void {
  const unknown = Object.keys(input).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const takes = known.length === 0 ? "no arguments" : known.join(", ");
  throw new Mistake(`There is no argument ${unknown.slice(0, 40)}: this tool takes ${takes}.`);
}

const conversions: ReadingTool = {
  description: "Counts users and conversions of each variant of this campaign, for one event.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["event"],
    properties: {
      event: {
        type: "string",
        minLength: 1,
        maxLength: MAX_EVENT,
        description: "The whole name of an event.",
      },
    },
  },
  async read(api, id, { event }) {
    if (typeof event !== "string" || event === "" || event.length > MAX_EVENT)
      throw new Mistake(`event must be a text of 1 to ${MAX_EVENT} characters.`);
    return api.getCampaignConversions({ path: { id }, query: { event } });
  },
};

const runs: ReadingTool = {
  description: `Lists what was decided about this campaign before and why, newest first, ${RUNS} at a time.`,
  parameters: {
    type: "object",
    additionalProperties: false,
    properties: { page: { type: "integer", minimum: 1, maximum: MAX_PAGE, description: "1 without it." } },
  },
  async read(api, campaignId, { page }) {
    const isPage = typeof page === "number" && Number.isInteger(page) && page >= 1 && page <= MAX_PAGE;
    if (page !== undefined && page !== null && !isPage)
      throw new Mistake(`page must be a whole number from 1 to ${MAX_PAGE}.`);
    const query = { campaignId, perPage: RUNS, ...(isPage ? { page } : {}) };
    const found = await api.listAgentRuns({ query });
    // Snapshots are long, and were made of what is here: what was decided is enough.
    return found.runs.map(shownRun);
  },
};

const capabilities: ReadingTool = {
  description: "Lists the traits and events that the product has, and how an audience is written.",
  parameters: { type: "object", additionalProperties: false, properties: {} },
  read: async (api) => shownCapabilities((await api.getAudienceCapabilities()).capabilities),
};

const audience: ReadingTool = {
  description: "Counts the users of an audience. Saves nothing, and names no users.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["expression"],
    properties: {
      expression: {
        type: "object",
        description:
          'For example {"version": 1, "root": {"kind": "field", "field": {"kind": "trait", "key": "plan"}, "op": "eq", "value": "pro"}}.',
      },
    },
  },
  async read(api, _, { expression }) {
    if (!isObject(expression)) throw new Mistake("expression must be an object.");
    // The server says what is wrong with an expression.
    const body = { expression, sampleLimit: 0 } as unknown as Parameters<Client["checkAudience"]>[0]["body"];
    const { matchedCount, totalUsers, summary, diagnostics } = await api.checkAudience({ body });
    // Sentences of diagnostics propose names that users have, which strangers may have brought.
    const codes = diagnostics.map(({ severity, code, path }) => ({ severity, code, path }));
    return { matchedCount, totalUsers, summary, diagnostics: codes };
  },
};

/** By the name that the model calls. */
export const READING_TOOLS = { conversions, runs, capabilities, audience } as const;
export type ReadingToolName = keyof typeof READING_TOOLS;

/** A call of a tool that reads. */
export type ToolCall = { id: string; name: ReadingToolName; input: unknown };

/** Answers a call of a tool that reads, with what the model is given: JSON, or a sentence that begins with `Error:`. */
export type AnswerTool = (call: ToolCall, nth: number) => Promise<string>;

const mistake = (message: string): string => cutJson(`Error: ${message}`);

async function readTool(api: Client, campaignId: string, { name, input }: ToolCall): Promise<string> {
  const { parameters, read } = READING_TOOLS[name];
  try {
    if (!isObject(input)) throw new Mistake("The arguments must be a JSON object.");
    refuseOthers(input, Object.keys(parameters.properties));
    return cutJson(await read(api, campaignId, input));
  } catch (cause) {
    if (cause instanceof Mistake) return mistake(cause.message);
    if (cause instanceof TidingsError) return mistake(cause.message);
    return mistake("This could not be read now.");
  }
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Answers tools by the API, about one campaign, as long as there is time. */
export function liveTools(api: Client, campaignId: string, { signal }: Deadline): AnswerTool {
  const isOver = whenAborted(signal).then(() => mistake("There is no time left."));
  return async (call, nth) => {
    if (nth >= MAX_AT_ONCE) return mistake(`At most ${MAX_AT_ONCE} tools can be called at once.`);
    return Promise.race([isOver, readTool(api, campaignId, call)]);
  };
}
