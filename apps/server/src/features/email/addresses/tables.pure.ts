import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  emailAddresses: {
    lies: "addressKey",
    exported: {
      brings: ["address"],
      columns: { address_key: "address key", lane: "lane of address_key" },
    },
  },
  suppressionChanges: {
    lies: "reference",
    exported: {
      columns: { id: "numbered anew", address_key: "address key", lane: "lane of address_key" },
      orderBy: "t.id",
    },
  },
};
