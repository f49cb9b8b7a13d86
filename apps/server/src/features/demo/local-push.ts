import { beginningOf } from "@tidings/client/text";
import type { App } from "../../platform/runtime.ts";
import type { PushClient } from "../push/providers/reply.pure.ts";
import { bringPush } from "./pushes-store.ts";
import { isShop } from "./store.ts";

/** Whether a token belongs to a page that plays a phone. */
export const isPhoneToken = (token: string): boolean => /^demo-[A-Za-z0-9_-]{1,100}$/.test(token);

/** Stands in for the push provider in the demo: stores a push for the page that plays the phone. None leaves this server. */
const localWay = ({ database, clock }: App): PushClient => ({
  async send({ id, token, payload, replacementKey, slotId }) {
    if (!isPhoneToken(token)) return { kind: "rejected", code: "BadDeviceToken", class: "token_invalid" };
    try {
      const collapseId = replacementKey ?? slotId;
      await bringPush(database.kysely, { token, collapseId, id, payload, at: clock() });
      return { kind: "accepted", providerId: id };
    } catch (error) {
      return { kind: "blocked", code: beginningOf(String(error), 100), class: "connection" };
    }
  },
  close() {},
});

/** The push client of the demo shop; null for every other project. */
export const localWayOf = async (app: App, projectId: string): Promise<PushClient | null> =>
  (await isShop(app.database.kysely, projectId)) ? localWay(app) : null;
