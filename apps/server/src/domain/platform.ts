import { housekeeping } from "../platform/housekeeping.ts";
import type { Feature } from "./feature.ts";

/** What the platform brings into the house by itself. */
export const platform: Feature = {
  room: "platform",
  tables: {
    idempotencyKeys: { lies: "local", leftOut: "answers of the last day, with ids of the old project" },
    loopTurns: { lies: "local", projectRows: null, leftOut: "when work that comes round is due again" },
    migrations: {
      lies: "local",
      projectRows: null,
      inertTimestamps: ["applied_at"],
      leftOut: "the header names the last one",
    },
    processes: { lies: "local", projectRows: null, leftOut: "those that serve and work at this moment" },
    secretKeyCanary: { lies: "local", projectRows: null, leftOut: "it tells of the key of this server" },
    sharedBudgets: { lies: "local", leftOut: "what was asked within the last minute" },
  },
  loops: housekeeping.loops,
  checks: housekeeping.checks,
};
