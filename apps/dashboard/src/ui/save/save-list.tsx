import type { Input } from "@tidings/client";
import { useChange } from "../../platform/operations.ts";
import { fileName, saveFile } from "../../platform/save-file.ts";
import { SaveDialog } from "./save-dialog.tsx";

/** The lists that are taken out by an operation, by what their files are called. */
const FILES = {
  extractUsers: "users",
  extractEvents: "events",
  extractDeliveries: "deliveries",
  extractSends: "mails",
  extractSuppressions: "gets-no-mail",
  extractRuns: "runs",
} as const;

type ListId = keyof typeof FILES;

type Props<Id extends ListId> = {
  scope: string;
  list: Id;
  /** The filters that the page has. */
  query?: Input<Id> extends { query?: infer Query } ? NonNullable<Query> : never;
  label?: string;
  /** What the file will have. */
  about: string;
};

/** Saves a list as its filters leave it: all of it, and not only the page that is shown. */
export function SaveList<Id extends ListId>({ list, query, ...shown }: Props<Id>) {
  const saving = useChange(shown.scope, list, ["listAuditEntries"]);
  return (
    <SaveDialog
      needs={"approver" as const}
      saving={saving}
      {...shown}
      save={(format, done) =>
        saving.mutate(
          // Each of these operations takes a format and its own filters; the type of all of them together cannot say so.
          { path: { format }, ...(query !== undefined && { query }) } as unknown as Input<Id>,
          {
            onSuccess(file) {
              saveFile(fileName(FILES[list], format), file as Blob);
              done();
            },
          },
        )
      }
    />
  );
}
