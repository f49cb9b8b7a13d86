import { type MessageOfKind, pathOfMessage } from "../../campaigns/authoring/public.ts";
import type { StepInput } from "./steps.pure.ts";

/** The messages that steps of a request bring, each with its kind and its place. @param at the place of the steps */
export const messagesOfSteps = (steps: readonly StepInput[], at: (string | number)[]): MessageOfKind[] =>
  steps.flatMap((step, index) => {
    if (step.kind !== "send") return [];
    const { channel, message, variants = [] } = step;
    return [...(message === undefined ? variants : [{ message }])].map((variant, position) => ({
      kind: channel,
      content: variant.message,
      at: [...at, index, ...pathOfMessage(step, position)],
    }));
  });
