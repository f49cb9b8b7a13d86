import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, hasToolCall, type JSONSchema7, jsonSchema, type ToolSet, tool } from "ai";
import { startDeadline } from "../../policies/model-1/deadline.ts";
import { type Dialogue, startDialogue } from "../../policies/model-1/dialogue.ts";
import { liveEndpoint } from "../../policies/model-1/endpoint.ts";
import type { Model1Options } from "../../policies/model-1/index.ts";
import { assertUsable } from "../../policies/model-1/usable.ts";
import { type Drafted, type Drafter, DraftFault, type SourceClaim } from "../drafter.ts";
import { PLAN_PARAMETERS, planOf } from "./plan.ts";
import { documentText, WRITER_INSTRUCTIONS } from "./prompt.ts";

const RETRIES = 1;
const PLAN = "plan";

async function ask(
  claim: SourceClaim,
  model: string,
  dialogue: Dialogue,
  prompt: string,
  signal: AbortSignal,
) {
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: "http://endpoint.invalid",
    fetch: dialogue.fetch,
  });
  const parameters = jsonSchema<unknown>(PLAN_PARAMETERS as unknown as JSONSchema7);
  const plan = tool({
    description: "Ends your work with a plan. Call it exactly once.",
    inputSchema: parameters,
  });
  // With exact optional properties, the types of the library take no tool that it is not to execute.
  const tools = { [PLAN]: plan } as unknown as ToolSet;
  const { finalStep } = await generateText({
    model: provider(model),
    instructions: WRITER_INSTRUCTIONS,
    prompt,
    tools,
    stopWhen: hasToolCall(PLAN),
    maxRetries: RETRIES,
    abortSignal: signal,
  });
  const call = finalStep.toolCalls.find(({ toolName }) => toolName === PLAN);
  if (call === undefined) throw new DraftFault("The model answered without a plan.");
  return planOf(claim, call.input);
}

/**
 * The drafter `writer@1`: a model behind an endpoint that speaks OpenAI's chat completions reads the commits and writes drafts. It never
 * changes: runs name it. @throws TypeError for an address or key that cannot be used, without the key
 */
export function writer1({ url, model, key, send, ...limits }: Model1Options): Drafter {
  assertUsable({ url, key });
  return {
    name: "writer@1",
    maxSeconds: limits.maxSeconds,
    async draft(claim, signal): Promise<Drafted> {
      const prompt = documentText(claim);
      if (prompt === null) throw new DraftFault("The commits are too much to be shown to a model.");
      const deadline = startDeadline(limits.maxSeconds, signal);
      const dialogue = startDialogue(liveEndpoint({ url, key, send }, deadline, signal), limits);
      try {
        const planned = await ask(claim, model, dialogue, prompt, signal);
        return { ...planned, usage: dialogue.usage(model), transcript: [...dialogue.transcript] };
      } catch (cause) {
        signal.throwIfAborted();
        const why = cause instanceof DraftFault ? cause.message : dialogue.fault();
        throw new DraftFault(why, { cause: { usage: dialogue.usage(model) } });
      } finally {
        deadline.end();
      }
    },
  };
}
