import type { Input } from "@tidings/client";
import { useChange } from "../../../platform/operations.ts";
import { fileName, saveFile } from "../../../platform/save-file.ts";
import { SaveDialog } from "../../../ui/save/save-dialog.tsx";
import { words } from "../words.ts";

type Narrowed = Pick<NonNullable<Input<"exportAuditEntries">["query"]>, "personId" | "operations">;

/** Downloads what the filters leave. */
export function Export({ scope, narrowed }: { scope: string; narrowed: Narrowed }) {
  const saving = useChange(scope, "exportAuditEntries", []);
  return (
    <SaveDialog
      {...{ scope, needs: "owner" as const, saving, label: words.export, title: words.exportTitle }}
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
