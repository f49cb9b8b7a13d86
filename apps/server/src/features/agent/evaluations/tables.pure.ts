import { PAGE_OF_LARGE_ROWS, type RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    prop: "proposals";
  }
}

export const tables: RoomTables = {
  evaluations: {
    lies: "reference",
    refersTo: ["campaigns"],
    // A lease is for a program that works with the old project.
    exported: { columns: { campaign_id: "id", lease_digest: "cleared", lease_expires_at: "cleared" } },
  },
  evaluationClaims: {
    lies: "reference",
    inertTimestamps: ["evaluation_at", "granted_at", "ended_at"],
    refersTo: ["campaigns"],
    exported: {
      columns: { campaign_id: "id" },
      set: { ended_at: "coalesce(i.ended_at, i.granted_at)", ended_by: "coalesce(i.ended_by, 'replaced')" },
    },
  },
  // A program that works with the old project does not work with the new one.
  agentDays: { lies: "reference", exported: { columns: { program_at: "cleared" } } },
  proposals: {
    lies: "reference",
    inertTimestamps: ["evaluation_at", "created_at", "decided_at", "consumed_at", "superseded_at"],
    ids: "prop",
    refersTo: ["campaigns", "agentRuns"],
    exported: {
      columns: {
        id: "id",
        campaign_id: "id",
        proposed_run_id: "id",
        decided_run_id: "id",
        mutation: "ids within",
        base: "ids within",
        journey: "ids within",
      },
      page: PAGE_OF_LARGE_ROWS,
      // People have approved a change of the old project: whatever waits or was not used yet has to be proposed again.
      set: {
        expires_at:
          "case when i.status <> 'rejected' and i.consumed_at is null then i.created_at else i.expires_at end",
      },
    },
  },
  appliedMutations: {
    lies: "reference",
    inertTimestamps: ["evaluation_at", "applied_at"],
    refersTo: ["campaigns", "proposals", "agentRuns"],
    exported: {
      columns: {
        campaign_id: "id",
        proposal_id: "id",
        run_id: "id",
        mutation: "ids within",
        lease_digest: "cleared",
      },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  verdictTests: {
    lies: "reference",
    inertTimestamps: ["verdict_at"],
    refersTo: ["goals", "campaigns", "variants"],
    exported: { columns: { goal_id: "id", campaign_id: "id", variant_id: "id", control_id: "id" } },
  },
};
