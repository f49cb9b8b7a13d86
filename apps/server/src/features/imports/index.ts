import type { Feature } from "../../domain/feature.ts";
import { countUnfoundedRefusalsAcrossProjects } from "./check-store.ts";
import { createImport } from "./create-import.ts";
import { deleteImport } from "./delete-import.ts";
import { getImport } from "./get-import.ts";
import { listImportRefusals } from "./list-import-refusals.ts";
import { listImports } from "./list-imports.ts";
import { lookAtImport } from "./look-at-import.ts";
import { forgetFilesLoop } from "./pieces/forget.ts";
import { importLoop } from "./pieces/import-loop.ts";
import { startImport } from "./start-import.ts";
import { stopImport } from "./stop-import.ts";
import { tables } from "./tables.pure.ts";
import { uploadImportPart } from "./upload-import-part.ts";

export const imports: Feature = {
  room: "imports",
  tables,
  endpoints: [
    createImport,
    uploadImportPart,
    lookAtImport,
    startImport,
    stopImport,
    deleteImport,
    listImports,
    getImport,
    listImportRefusals,
  ],
  loops: [importLoop, forgetFilesLoop],
  checks: [
    {
      name: "imports: each line that was not taken has its reason",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnfoundedRefusalsAcrossProjects,
    },
  ],
  commandGroups: {
    users: "users from files",
    events: "what users did, from files",
    suppressions: "addresses that get no mail, from files",
  },
  tags: { Imports: "Files of other tools, and any others: users, what they did, and who gets no mail." },
};
