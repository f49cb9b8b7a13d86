import { DELIVERY_KEY, type RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  emailHitHeads: {
    lies: "userKey",
    exported: {
      columns: DELIVERY_KEY,
      formerly: { email_touch_heads: { touches: "hits", trap_at: "honeypot_at" } },
    },
  },
  emailHits: {
    lies: "userKey",
    exported: { columns: DELIVERY_KEY, formerly: { email_touches: { machine: "bot" } } },
  },
  reportTokens: { lies: "local", leftOut: "signatures of a provider of the last hours" },
};
