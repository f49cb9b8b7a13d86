import { type RoomTables, SLOT_KEY } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    pob: "pushObservations";
    pen: "pushEngagements";
  }
}

export const tables: RoomTables = {
  pushObservations: {
    lies: "userKey",
    inertTimestamps: ["received_at"],
    ids: "pob",
    exported: {
      columns: {
        ...SLOT_KEY,
        id: "id",
        installation_key: "observer key",
        command: "slot ids within",
        received_order: "order",
      },
    },
  },
  pushEngagements: {
    lies: "userKey",
    inertTimestamps: ["engaged_at"],
    ids: "pen",
    exported: { columns: { ...SLOT_KEY, id: "id" } },
  },
};
