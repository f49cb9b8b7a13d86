import type { RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    wh: "webhooks";
    msg: "webhookMessages";
  }
}

export const tables: RoomTables = {
  webhooks: {
    lies: "reference",
    ids: "wh",
    inertTimestamps: [
      "off_at",
      "succeeded_at",
      "failed_at",
      "made_at",
      "changed_at",
      "alerted_at",
      "deleted_at",
    ],
    exported: {
      // A copy of a project must not send what the project itself sends, so it arrives switched off, and its secret stays behind.
      only: "t.deleted_at is null",
      columns: {
        id: "id",
        state: "cleared",
        off_because: "cleared",
        off_at: "cleared",
        sealed: "cleared",
        former_sealed: "cleared",
        former_until: "cleared",
        failing_since: "cleared",
        succeeded_at: "cleared",
        failed_at: "cleared",
        fault: "cleared",
        alerted_at: "cleared",
      },
    },
  },
  webhookMessages: {
    lies: "counter",
    inertTimestamps: ["happened_at", "replayed_at", "ended_at"],
    leftOut: "what this server sends to webhooks",
  },
  webhookAttempts: {
    lies: "counter",
    inertTimestamps: ["attempted_at"],
    leftOut: "requests to webhooks",
  },
};
