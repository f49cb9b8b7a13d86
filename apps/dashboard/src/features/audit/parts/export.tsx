import type { Input } from "@tidings/client";
import { useAddress } from "../../../platform/address.ts";
import { roleAt, useMe } from "../../../platform/me.ts";
import { useChange } from "../../../platform/operations.ts";
import { reaches } from "../../../platform/pages.ts";
import { fileName, saveFile } from "../../../platform/save-file.ts";
import { SaveDialog } from "../../../ui/save/save-dialog.tsx";
import { words } from "../words.ts";

type Narrowed = Pick<NonNullable<Input<"exportAuditEntries">["query"]>, "personId" | "operations">;

/** Downloads what the filters leave. */
export function Export({ scope, narrowed }: { scope: string; narrowed: Narrowed }) {
  // The palette leads straight to it.
  const [{ export: wanted }, change] = useAddress();
  const isOwner = reaches(roleAt(useMe(), scope), "owner");
  const saving = useChange(scope, "exportAuditEntries", []);
  return (
    <SaveDialog
      scope={scope}
      needs={"owner" as const}
      saving={saving}
      label={words.export}
      title={words.exportTitle}
      isWanted={isOwner && wanted === "1"}
      onClose={() => wanted === "1" && change({ export: "" }, false)}
      about={words.exportAbout(Object.keys(narrowed).length > 0)}
      save={(format, done) =>
        saving.mutate(
          { query: { ...narrowed, format } },
          {
            onSuccess(file) {
              saveFile(fileName("audit-log", format), file);
              done();
            },
          },
        )
      }
    />
  );
}
