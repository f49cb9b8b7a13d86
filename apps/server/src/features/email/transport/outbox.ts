import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { insertOutboxMessage } from "./outbox-store.ts";
import type { Transport } from "./reply.pure.ts";

/** Keeps messages for looking at instead of sending them: for trying things out without a mail server. */
export const openOutbox = ({ database, clock }: App, projectId: string): Transport => ({
  connections: 4,
  async send({ to }, raw) {
    const at = clock();
    try {
      await insertOutboxMessage(database.kysely, projectId, { id: newUuid(at), recipient: to, raw, at });
      return { kind: "accepted", code: 250, response: "kept in the outbox" };
    } catch (error) {
      return { kind: "deferred", stage: "connection", code: null, response: String(error).slice(0, 200) };
    }
  },
  close() {},
});
