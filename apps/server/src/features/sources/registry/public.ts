export { type DeploymentRow, listCurrentDeployments } from "./deployment-store.ts";
export { type Looked, readSource, sourceLooked } from "./look.ts";
export { listMergedAs, listPulls } from "./pull-store.ts";
export { removeMirrors } from "./remote.ts";
export { findSource, listMappings, listSources, type MappingRow, type SourceRow } from "./store.ts";
export { mappingLabel } from "./view.ts";
