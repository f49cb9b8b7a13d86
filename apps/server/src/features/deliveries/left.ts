import type { DeliveryRef } from "../../domain/ids.ts";
import { type App, type Port, port } from "../../platform/runtime.ts";

/** What goes on once messages have left, or will not leave any more. */
export const afterMessages: Port<(app: App, messages: readonly DeliveryRef[]) => Promise<void>> =
  port("what follows messages");

/**
 * Has go on what waits for messages, after the transaction in which they left or ended. Where that fails it is found by a later look, so it
 * never fails what was done with the messages.
 */
export async function followMessages(app: App, messages: readonly DeliveryRef[]): Promise<void> {
  if (messages.length === 0) return;
  try {
    for (const follow of app.askAll(afterMessages)) await follow(app, messages);
  } catch (cause) {
    app.log.warn({ err: cause }, "what waits for messages that have left goes on later");
  }
}
