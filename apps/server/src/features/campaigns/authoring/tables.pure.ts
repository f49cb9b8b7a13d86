import { PAGE_OF_LARGE_ROWS, type RoomTables } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    cmp: "campaigns";
    req: "sourceChanges";
    var: "variants";
  }
}

export const tables: RoomTables = {
  campaigns: {
    lies: "reference",
    inertTimestamps: ["created_at", "started_at", "ended_at", "deliver_until"],
    ids: "cmp",
    refersTo: ["goals", "topics", "journeys"],
    exported: {
      columns: {
        id: "id",
        goal_id: "id",
        topic_id: "id",
        journey_id: "id",
        agent_run_id: "id",
        audience: "ids within",
        push: "ids within",
        send_time: "data",
        pause: "ids within",
        ending: "ids within",
      },
      page: PAGE_OF_LARGE_ROWS,
      set: {
        // An imported campaign must not run in the old and in the new project at once.
        status: "case i.status when 'running' then 'paused' else i.status end",
        pause: `case i.status when 'running' then '{"by": "import"}'::jsonb else i.pause end`,
        // Mail that was sent before the import has tokens of the old id.
        has_unbound_links: "false",
      },
    },
  },
  sourceChanges: {
    lies: "reference",
    ids: "req",
    refersTo: ["campaigns"],
    exported: { columns: { id: "id", campaign_id: "id" } },
  },
  allocations: {
    lies: "reference",
    inertTimestamps: ["started_at"],
    refersTo: ["campaigns", "variants", "goals"],
    exported: {
      columns: { campaign_id: "id", variant_id: "id", goal_id: "id", content: "ids within" },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  variants: {
    lies: "reference",
    ids: "var",
    refersTo: ["campaigns"],
    exported: {
      columns: { id: "id", campaign_id: "id", content: "ids within" },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
};
