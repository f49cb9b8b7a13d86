import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  emailAddresses: {
    lies: "addressKey",
    inertTimestamps: ["suppressed_at", "receipts_stopped_at"],
    exported: {
      brings: ["address"],
      columns: { address_key: "address key", lane: "lane of address_key" },
    },
  },
  suppressionChanges: {
    lies: "reference",
    inertTimestamps: ["changed_at"],
    exported: {
      columns: { id: "numbered anew", address_key: "address key", lane: "lane of address_key" },
      orderBy: "t.id",
    },
  },
};
