import { DELIVERY_KEY, type RoomTables, USER_KEY } from "../../domain/tables.ts";

export const tables: RoomTables = {
  deliveries: {
    lies: "userKey",
    inertTimestamps: [
      "queued_at",
      "delivered_at",
      "delivered_reported_at",
      "shown_at",
      "opened_at",
      "clicked_at",
      "dismissed_at",
      "bounced_at",
      "complained_at",
      "unsubscribed_at",
      "converted_at",
      "exposed_at",
    ],
    exported: { columns: { ...DELIVERY_KEY, variant_id: "id", decided_as: "user key" } },
  },
  withheldDeliveries: {
    lies: "userKey",
    inertTimestamps: ["withheld_at"],
    exported: { columns: { ...DELIVERY_KEY, decided_as: "user key" } },
  },
  unseenDeliveries: {
    lies: "userKey",
    inertTimestamps: ["queued_at"],
    exported: { columns: { ...DELIVERY_KEY, variant_id: "id" } },
  },
  frozenEvents: { lies: "userKey", inertTimestamps: ["last_at"], exported: { columns: USER_KEY } },
  campaignStats: { lies: "counter", recounted: "deliveries, by lane" },
  campaignSweeps: {
    lies: "reference",
    inertTimestamps: ["reevaluated_at", "closed_at", "fault_at", "passed_at"],
    refersTo: ["campaigns"],
    exported: {
      columns: {
        campaign_id: "id",
        after_lane: "cleared",
        after_user: "cleared",
        unconfirmed_so_far: "cleared",
      },
      formerly: {
        email_plans: { passes: "sweeps", next_pass_at: "next_sweep_at" },
        push_plans: {
          passes: "sweeps",
          next_pass_at: "next_sweep_at",
          checked_at: "reevaluated_at",
          recheck_at: "reevaluate_at",
        },
      },
    },
  },
};
