import { z } from "zod";
import type { UserRef } from "../../domain/ids.ts";
import { type ListedIdentity, nextIdentities } from "./identities-store.ts";
import { type Column, fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { since, until } from "./schema.ts";
import type { Table } from "./table.ts";
import { walk } from "./walk.ts";

const COLUMNS: readonly Column<ListedIdentity>[] = [
  ["visitorId", ({ visitorId }) => visitorId],
  ["endUserId", ({ endUserId }) => endUserId],
  ["externalUserId", ({ externalUserId }) => externalUserId],
  ["linkedAt", ({ linkedAt }) => linkedAt, "instant"],
];

/** Which visitors became which users. */
export const identityTable: Table<ListedIdentity, UserRef> = {
  columns: COLUMNS,
  open:
    async ({ db, projectId, now }) =>
    (after) =>
      nextIdentities(db, projectId, { until: now }, after),
};

export const identityExtract = list(
  {
    name: "identities",
    id: "extractIdentities",
    audit: "took out a list of visitors who became users",
    summary: "Take out which visitors became which users as a file",
    description:
      "By the user. `visitorId` is the `eu_…` id that the visitor had, as it stands in files that were written before they signed in. `since` and `until` are of when they signed in, and include their instant.",
    query: z.object({ since, until }),
  },
  async ({ db, projectId, now }, { since: first, until: last }, format) => {
    const chosen = { since: first, until: Math.min(last ?? now, now) };
    return fileLines(
      format,
      COLUMNS,
      walk((after: UserRef | null) => nextIdentities(db, projectId, chosen, after)),
    );
  },
);
