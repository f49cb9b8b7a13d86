import { beginningOf } from "@tidings/client/text";
import type { App } from "../../../platform/runtime.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { insertCaughtMail } from "./mail-catcher-store.ts";
import type { Transport } from "./reply.pure.ts";

/** Keeps messages instead of sending them, to be read at `/demo/outbox`: for trying things out without a mail server. */
export const openMailCatcher = ({ database, clock }: App, projectId: string): Transport => ({
  connections: 4,
  async send({ to, user }, raw) {
    const at = clock();
    try {
      await insertCaughtMail(database.kysely, projectId, {
        id: newUuid(at),
        recipient: to,
        raw,
        at,
        user,
      });
      return { kind: "accepted", code: 250, response: "kept in the outbox" };
    } catch (error) {
      return { kind: "deferred", stage: "connection", code: null, response: beginningOf(String(error), 200) };
    }
  },
  close() {},
});
