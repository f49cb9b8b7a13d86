import { DELIVERY_KEY, type RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    rcp: "feedbackReceipts";
  }
}

/** Rows of the campaigns of a project, in SQL. */
const OF_CAMPAIGNS = "t.campaign_id in (select id from campaigns where project_id = $1)";

export const tables: RoomTables = {
  feedbackReceipts: {
    lies: "userKey",
    projectRows: OF_CAMPAIGNS,
    inertTimestamps: ["acknowledged_at"],
    exported: {
      columns: { ...DELIVERY_KEY, receipt_id: "opaque" },
      where: OF_CAMPAIGNS,
    },
  },
  firstPageViews: {
    lies: "reference",
    inertTimestamps: ["at"],
    leftOut: "its pages came to the server that it was exported from",
  },
};
