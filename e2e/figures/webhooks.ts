import { count } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { exactTime, number, row, things } from "./written.ts";

/** The webhooks of the project, with what waits for each. */
export async function webhooksFacts({ truth: { client } }: View): Promise<Facts> {
  const { webhooks } = await client.listWebhooks();
  return {
    everywhere: webhooks.flatMap(({ url, types, waiting }) =>
      row(url, { "What it is about": things(types.length, "type"), Waiting: number(waiting) }),
    ),
  };
}

/** A webhook of which nothing has left yet. */
export async function webhookFacts({ truth: { client }, names }: View): Promise<Facts> {
  const path = { id: names.$webhookId ?? "" };
  const { webhook } = await client.getWebhook({ path });
  const { messages } = await client.listWebhookMessages({ path });
  const waiting = count(messages, ({ state }) => state === "waiting");
  return {
    everywhere: [
      `What it is about: ${things(webhook.types.length, "type")}.`,
      `${things(waiting, "message waits", "messages wait")}. No attempt has succeeded yet.`,
      ...messages.flatMap(({ attempts, happenedAt }) =>
        row("A test.", { When: exactTime(happenedAt), Attempts: number(attempts) }),
      ),
    ],
  };
}
