/** What a change of a webhook makes old. */
export const WEBHOOK_READS = ["listWebhooks", "getWebhook", "getWaiting"] as const;
/** What makes old that a message is sent, or sent again. */
export const MESSAGE_READS = ["getWebhook", "listWebhookMessages", "getWebhookMessage"] as const;
