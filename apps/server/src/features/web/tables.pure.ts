import { DELIVERY_KEY, type RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    rcp: "feedbackReceipts";
  }
}

export const tables: RoomTables = {
  feedbackReceipts: {
    lies: "userKey",
    inertTimestamps: ["acknowledged_at"],
    exported: {
      columns: { ...DELIVERY_KEY, receipt_id: "opaque" },
      where: "t.campaign_id in (select id from campaigns where project_id = $1)",
    },
  },
  firstPageViews: {
    lies: "reference",
    inertTimestamps: ["at"],
    leftOut: "its pages came to the server that it was exported from",
  },
};
