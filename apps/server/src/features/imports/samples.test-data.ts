import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  uploadImportPart: () => ({ path: { n: "1" } }),
  lookAtImport: ({ uploadedImportId }) => ({ path: { id: uploadedImportId } }),
  startImport: ({ uploadedImportId }) => ({ path: { id: uploadedImportId } }),
  stopImport: ({ runningImportId }) => ({ path: { id: runningImportId } }),
};
