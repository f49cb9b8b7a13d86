export { deleteProject } from "./delete-project.ts";
export { exportProject } from "./export.ts";
export { type Holdings, readHoldings } from "./holdings-store.ts";
export { type Imported, importProject } from "./import.ts";
export { PortableError } from "./portable-error.ts";
export { IDENTITY_SECRET } from "./secrets.ts";
