import { csvInstant } from "@tidings/client/csv";
import { z } from "zod";
import { uuidFor } from "../../domain/ids.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { nextSuppressions } from "../email/addresses/public.ts";
import { type SuppressedAddress, SuppressedBy } from "../email/addresses/schema.ts";
import { type Column, fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { campaignId, since, until } from "./schema.ts";
import { walk } from "./walk.ts";

const ROWS = 1_000;

type Row = z.input<typeof SuppressedAddress>;

const COLUMNS: readonly Column<Row>[] = [
  ["address", ({ address }) => address],
  ["reason", ({ reason }) => reason],
  ["suppressedAt", ({ suppressedAt }) => csvInstant(suppressedAt)],
  ["by", ({ by }) => by],
  ["campaignId", ({ campaign }) => campaign?.id],
  ["campaignName", ({ campaign }) => campaign?.name],
  ["endUserId", ({ user }) => user?.id],
  ["externalUserId", ({ user }) => user?.externalUserId],
];

export const suppressions = list(
  {
    name: "suppressions",
    id: "extractSuppressions",
    audit: "took out a list of addresses that get no mail",
    summary: "Take out the addresses that get no mail as a file",
    description:
      "Those that left first before the others, with why, after which campaign, and whose they are. `since` and `until` are of since when they get none, and include their instant.",
    query: z.object({
      since,
      until,
      campaignId,
      reason: SuppressedBy.optional().describe("Only addresses that get none for this reason."),
      q: text(320, 0).optional().describe("Only addresses that have this in them."),
    }),
  },
  async ({ db, projectId, now }, { campaignId: campaign, q, until: last, ...narrowed }, format) => {
    const filter = {
      ...narrowed,
      q: q === "" ? undefined : q,
      until: Math.min(last ?? now, now),
      campaignId: campaign === undefined ? undefined : uuidFor("cmp", campaign),
    };
    async function* pages() {
      const read = walk((after: Parameters<typeof nextSuppressions>[3]["after"]) =>
        nextSuppressions(db, projectId, filter, { after, limit: ROWS }),
      );
      // The reasons are those that its room writes.
      for await (const rows of read)
        yield rows.map((row): Row => ({ ...row, reason: SuppressedBy.parse(row.reason) }));
    }
    return fileLines(format, COLUMNS, pages());
  },
);
