import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { findLastRun } from "./doctor-store.ts";
import { LastDoctorRun } from "./schema.ts";
import { viewRun } from "./view.ts";

export const getDoctor = endpoint(
  {
    id: "getDoctor",
    method: "GET",
    path: "/api/people/system/doctor",
    tag: "Server",
    summary: "What the doctor found last, or has found so far",
    keys: [],
    people: "operator",
    scope: "organization",
    result: LastDoctorRun,
  },
  async ({ db }) => {
    const run = await findLastRun(db);
    return { run: run && viewRun(run) };
  },
);
