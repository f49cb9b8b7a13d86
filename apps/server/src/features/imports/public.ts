export { createImport } from "./create-import.ts";
export { getImport } from "./get-import.ts";
export { lookAtImport } from "./look-at-import.ts";
export { readImport } from "./pieces/import-loop.ts";
export { PART_BYTES } from "./schema.ts";
export { startImport } from "./start-import.ts";
export { uploadImportPart } from "./upload-import-part.ts";
