import type { Feature } from "../../../domain/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { changesDeclared } from "../../campaigns/authoring/public.ts";
import { changeSource } from "./change-source.ts";
import { checkSource } from "./check-source.ts";
import { mappingCommand, mappingCommands } from "./commands/mapping.ts";
import { sourceCommands } from "./commands/source.ts";
import { confirmMapping } from "./confirm-mapping.ts";
import { connectSource } from "./connect-source.ts";
import { listDeployments } from "./deployments/list-deployments.ts";
import { recordDeployment } from "./deployments/record-deployment.ts";
import { getSource } from "./get-source.ts";
import { listSources } from "./list-sources.ts";
import { lookLoop } from "./looks/look-loop.ts";
import { removeMapping } from "./remove-mapping.ts";
import { removeSource } from "./remove-source.ts";
import { lookSoon } from "./store.ts";
import { tables } from "./tables.pure.ts";

export const registry: Feature = {
  room: "sources/registry",
  tables,
  endpoints: [
    listSources,
    recordDeployment,
    listDeployments,
    getSource,
    connectSource,
    changeSource,
    checkSource,
    removeSource,
    confirmMapping,
    removeMapping,
  ],
  loops: [lookLoop],
  plugs: [
    plug(changesDeclared, ({ db, projectId, now }, sourceIds) => lookSoon(db, projectId, sourceIds, now)),
  ],
  commandGroups: {
    source: "the repositories from which changes are deployed",
    mapping: "where changes have to be live before the campaigns that announce them launch",
  },
  commands: [...sourceCommands, mappingCommand, mappingCommands],
};
