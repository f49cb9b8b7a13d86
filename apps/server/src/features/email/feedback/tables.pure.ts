import { DELIVERY_KEY, type RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  emailHitHeads: {
    lies: "userKey",
    inertTimestamps: ["link_at", "other_link_at"],
    exported: {
      columns: DELIVERY_KEY,
      formerly: { email_touch_heads: { touches: "hits", trap_at: "honeypot_at" } },
    },
  },
  emailHits: {
    lies: "userKey",
    inertTimestamps: ["at"],
    exported: { columns: DELIVERY_KEY, formerly: { email_touches: { machine: "bot" } } },
  },
  reportTokens: { lies: "local", leftOut: "signatures of a provider of the last hours" },
};
