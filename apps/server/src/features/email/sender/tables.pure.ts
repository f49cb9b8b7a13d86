import type { RoomTables } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  dkimKeys: {
    lies: "reference",
    inertTimestamps: ["verified_at", "created_at"],
    exported: { columns: { sealed_private_key: "secret" } },
  },
};
