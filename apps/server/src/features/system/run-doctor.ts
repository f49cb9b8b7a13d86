import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { newUuid } from "../../platform/uuid.ts";
import { requestRun } from "./doctor-store.ts";
import { LastDoctorRun } from "./schema.ts";
import { viewRun } from "./view.ts";

export const runDoctor = endpoint(
  {
    id: "runDoctor",
    method: "POST",
    path: "/api/people/system/doctor",
    audit: "ran the doctor",
    tag: "Server",
    summary: "Recount every counter and check every invariant",
    description:
      "A process that works does it, as `tidings doctor` would; getDoctor says how far it is. Reads whole tables and writes to none of them. While one is under way, this answers that one.",
    keys: [],
    people: "operator",
    scope: "organization",
    result: LastDoctorRun,
  },
  async (ctx) => {
    const { db, now } = ctx;
    const run = await requestRun(db, {
      id: newUuid(now),
      requestedAt: now,
      requestedBy: personOf(ctx).name,
    });
    return { run: viewRun(run) };
  },
);
