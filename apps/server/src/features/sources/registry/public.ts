export { type DeploymentRow, listCurrentDeployments } from "./deployments/deployment-store.ts";
export { type Looked, readSource, sourceLooked } from "./looks/look.ts";
export { listMergedAs, listPulls } from "./looks/pull-store.ts";
export { removeMirrors } from "./looks/remote.ts";
export { findSource, listMappings, listSources, type MappingRow, type SourceRow } from "./store.ts";
export { mappingLabel } from "./view.ts";
