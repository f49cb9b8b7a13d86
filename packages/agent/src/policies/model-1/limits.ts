/** What asking the model may take. `maxSteps` counts its answers, `maxTokens` input and output of all calls. */
export type ModelLimits = { maxSteps: number; maxTokens: number; maxSeconds: number };

/** With the usage of each call, so many exchanges still fit into a run and into a usage report. */
export const MAX_EXCHANGES = 60;
/** What a transcript has at most, in bytes of JSON: the server takes 1 MiB with what is around it. */
export const MAX_TRANSCRIPT = 1_024 * 1_024 - 1_024;
/** What is read of an answer, in bytes. */
export const MAX_RESPONSE = 128 * 1_024;
/** The document that the model is given, in bytes. */
export const MAX_DOCUMENT = 256 * 1_024;
/** A decision with its usage and the hash of the transcript, in bytes: what a run takes, less what is around it. */
export const MAX_DECIDED = 15_800;
/** The reason of a decision, in characters. */
export const MAX_REASON = 2_000;
