import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  getWebhookMessage: ({ triedWebhook: { id, messageId } }) => ({ path: { id, messageId } }),
};
