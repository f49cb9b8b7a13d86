import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, hasToolCall, type JSONSchema7, jsonSchema, NoSuchToolError, tool } from "ai";
import { canonicalJson } from "../../canonical.ts";
import type { Decided, Decision } from "../../policy.ts";
import type { Snapshot } from "../../snapshot.ts";
import { DECIDE_PARAMETERS, decisionOf, nothing } from "./decide.ts";
import { type Dialogue, startDialogue } from "./dialogue.ts";
import { MAX_DECIDED, MAX_DOCUMENT, type ModelLimits } from "./limits.ts";
import { bytesOf } from "./plain.ts";
import { documentText, POLICY_INSTRUCTIONS } from "./prompt.ts";
import type { Endpoint } from "./recorded.ts";
import { type AnswerTool, READING_TOOLS, type ReadingToolName } from "./tools.ts";

const RETRIES = 1;
const DECIDE = "decide";
/** In the place of arguments that are no JSON. Every tool refuses it. */
const UNREADABLE = "null";

/** What a dialogue is about, and who answers in it. */
export type DialogueSetting = {
  model: string;
  snapshot: Snapshot;
  messages: Readonly<Record<string, unknown>>;
  limits: ModelLimits;
  endpoint: Endpoint;
  answerTool: AnswerTool;
  signal: AbortSignal;
};

/** Parameters are given as they are, and checked by the tool, so that what the model is answered depends on this policy alone. */
const parametersOf = (parameters: object) => jsonSchema<unknown>(parameters as JSONSchema7);

function toolsOf(dialogue: Dialogue, answerTool: AnswerTool) {
  let step = 0;
  let nth = 0;
  const answer = async (name: ReadingToolName, input: unknown, id: string): Promise<string> => {
    // Nothing is read for an answer that is not sent any more.
    if (dialogue.limitReached() !== null) return "";
    nth = dialogue.steps() === step ? nth + 1 : 0;
    step = dialogue.steps();
    return answerTool({ id, name, input }, nth);
  };
  const reading = Object.entries(READING_TOOLS).map(([name, { description, parameters }]) => [
    name,
    tool({
      description,
      inputSchema: parametersOf(parameters),
      execute: (input, { toolCallId }) => answer(name as ReadingToolName, input, toolCallId),
    }),
  ]);
  const decide = tool({
    description: "Ends your work with a decision. Call it exactly once.",
    inputSchema: parametersOf(DECIDE_PARAMETERS),
  });
  return { ...Object.fromEntries(reading), [DECIDE]: decide };
}

async function ask(setting: DialogueSetting, dialogue: Dialogue, prompt: string): Promise<Decision> {
  const { model, snapshot, answerTool, signal } = setting;
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: "http://endpoint.invalid",
    fetch: dialogue.fetch,
  });
  const { finalStep } = await generateText({
    model: provider(model),
    instructions: POLICY_INSTRUCTIONS,
    prompt,
    tools: toolsOf(dialogue, answerTool),
    toolCallConcurrency: 1,
    stopWhen: hasToolCall(DECIDE),
    maxRetries: RETRIES,
    abortSignal: signal,
    repairToolCall: async ({ toolCall, error }) =>
      NoSuchToolError.isInstance(error) ? null : { ...toolCall, input: UNREADABLE },
  });
  const [call, ...more] = finalStep.toolCalls.filter(({ toolName }) => toolName === DECIDE);
  if (more.length > 0) return nothing("The model decided more than once, so nothing is done.");
  if (call !== undefined) return decisionOf(call.input, snapshot);
  return nothing(
    finalStep.finishReason === "length"
      ? "The model's answer was cut off before it decided."
      : "The model answered without deciding.",
  );
}

/** A decision that a run has room for. */
function logged(decided: Decided): Decided {
  const { decision, usage } = decided;
  if (bytesOf(canonicalJson({ decision, usage })) <= MAX_DECIDED) return decided;
  return {
    ...decided,
    decision: nothing("What the model decided is too large to be logged, so it is not done."),
  };
}

/** Asks a model, or what plays one, until it decides. Throws only where `signal` is aborted. */
export async function converse(setting: DialogueSetting): Promise<Decided> {
  const { model, snapshot, messages, limits, endpoint, signal } = setting;
  const prompt = documentText(snapshot, messages, limits);
  if (bytesOf(prompt) > MAX_DOCUMENT) return { decision: TOO_LARGE, usage: null, transcript: [] };
  const dialogue = startDialogue(endpoint, limits);
  let decision: Decision;
  try {
    decision = await ask(setting, dialogue, prompt);
  } catch {
    signal.throwIfAborted();
    decision = nothing(dialogue.fault());
  }
  signal.throwIfAborted();
  return logged({ decision, usage: dialogue.usage(model), transcript: [...dialogue.transcript] });
}

/** The one decision without a transcript. */
export const TOO_LARGE = nothing("The campaign's messages are too long to be shown to a model.");
