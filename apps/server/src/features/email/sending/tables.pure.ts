import { DELIVERY_KEY, type RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  emailSends: {
    lies: "userKey",
    exported: {
      columns: {
        ...DELIVERY_KEY,
        lease_owner: "opaque",
        moved_from: "cleared",
        address_key: "address key",
        address_lane: "lane of address_key",
      },
      formerly: { email_sends: { fence: "lease_owner", claimed_until: "leased_until" } },
    },
  },
  emailAttempts: {
    lies: "userKey",
    inertTimestamps: ["started_at"],
    exported: {
      columns: { ...DELIVERY_KEY, lease_owner: "opaque" },
      formerly: { email_attempts: { fence: "lease_owner" } },
    },
  },
  emailOutcomes: { lies: "userKey", inertTimestamps: ["at"], exported: { columns: DELIVERY_KEY } },
  emailResends: { lies: "userKey", inertTimestamps: ["decided_at"], exported: { columns: DELIVERY_KEY } },
  erasedMessages: { lies: "messageKey", leftOut: "links of mail that was sent name the old project" },
  emailCappedCounts: {
    lies: "counter",
    inertTimestamps: ["period"],
    exported: { columns: { lane: "data" } },
  },
  addressIntakes: { lies: "reference", inertTimestamps: ["hour_at"], exported: { columns: {} } },
  emailTestPaces: { lies: "local", leftOut: "what left within the last hour" },
  emailThrottles: { lies: "local", leftOut: "the pace of sending begins anew" },
};
