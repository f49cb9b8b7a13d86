import type { Making } from "../../../test/people-world.ts";
import type { PeopleSamples } from "../../../test/room-samples.ts";
import { MONTH_KEY } from "./month/month-store.ts";

export const peopleSamples: PeopleSamples = {
  fillDemoMonth: () => ({
    async prepare({ house, project: { projectId, api } }: Making) {
      // The demo has made the project, and filled it already.
      await house.database.pool.query(
        "insert into demo_shop (project_id) values ($1) on conflict (is_only) do update set project_id = excluded.project_id",
        [projectId],
      );
      await api.createAgentRun({ body: { kind: "plan", idempotencyKey: MONTH_KEY } });
    },
  }),
};
