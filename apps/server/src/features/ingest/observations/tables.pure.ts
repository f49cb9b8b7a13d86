import { declareTables, SLOT_KEY } from "../../../domain/tables.ts";

export const tables = declareTables("ingest/observations", {
  pushObservations: {
    lies: "userKey",
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
  pushEngagements: { lies: "userKey", ids: "pen", exported: { columns: { ...SLOT_KEY, id: "id" } } },
});
