import type { Feature } from "../../../platform/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { changesDeclared } from "../../campaigns/authoring/public.ts";
import { mappingCommands } from "./commands/mapping.ts";
import { sourceCommands } from "./commands/source.ts";
import { listDeployments } from "./list-deployments.ts";
import { listSources } from "./list-sources.ts";
import { lookLoop } from "./look-loop.ts";
import { recordDeployment } from "./record-deployment.ts";
import { lookSoon } from "./store.ts";

export const registry: Feature = {
  endpoints: [listSources, recordDeployment, listDeployments],
  loops: [lookLoop],
  plugs: [
    plug(changesDeclared, ({ db, projectId, now }, sourceIds) => lookSoon(db, projectId, sourceIds, now)),
  ],
  commands: [sourceCommands, mappingCommands],
};
