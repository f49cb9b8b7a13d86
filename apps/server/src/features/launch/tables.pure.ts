import type { RoomTables } from "../../domain/tables.ts";

declare module "../../domain/ids.ts" {
  interface IdPrefixes {
    wrn: "launchWarnings";
  }
}

export const tables: RoomTables = {
  coverage: {
    lies: "reference",
    inertTimestamps: ["judged_at"],
    refersTo: ["sourceChanges", "mappings", "campaigns", "deployments"],
    leftOut: "the new server judges it again, from a mirror of its own",
  },
  launchPolicies: { lies: "reference", exported: { columns: {} } },
  campaignActivations: {
    lies: "reference",
    refersTo: ["campaigns"],
    exported: { columns: { campaign_id: "id" } },
  },
  launchReceipts: {
    lies: "reference",
    inertTimestamps: ["started_at"],
    refersTo: ["campaigns", "agentRuns"],
    exported: { columns: { campaign_id: "id", run_id: "id", evidence: "ids within" } },
  },
  launchWarnings: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    ids: "wrn",
    refersTo: ["campaigns", "agentRuns"],
    exported: {
      columns: {
        id: "id",
        campaign_id: "id",
        mapping_id: "id",
        deployment_id: "id",
        run_id: "id",
        requirement_ids: "ids within",
        evidence: "ids within",
      },
    },
  },
};
