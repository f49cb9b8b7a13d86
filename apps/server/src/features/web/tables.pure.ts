import { DELIVERY_KEY, declareTables } from "../../domain/tables.ts";

export const tables = declareTables("web", {
  feedbackReceipts: {
    lies: "userKey",
    exported: {
      columns: { ...DELIVERY_KEY, receipt_id: "opaque" },
      where: "t.campaign_id in (select id from campaigns where project_id = $1)",
    },
  },
  firstPageViews: {
    lies: "reference",
    leftOut: "its pages came to the server that it was exported from",
  },
});
