import { z } from "zod";
import { uuidFor } from "../../domain/ids.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { nextSuppressions, type SuppressionPlace } from "../email/addresses/public.ts";
import { type SuppressedAddress, SuppressedBy } from "../email/addresses/schema.ts";
import { type Column, fileLines } from "./lines.pure.ts";
import { type ListReading, list } from "./list.ts";
import { campaignId, since, until } from "./schema.ts";
import type { Table } from "./table.ts";
import { walk } from "./walk.ts";

const ROWS = 1_000;

type Row = z.input<typeof SuppressedAddress>;

const COLUMNS: readonly Column<Row>[] = [
  ["address", ({ address }) => address],
  ["reason", ({ reason }) => reason],
  ["suppressedAt", ({ suppressedAt }) => suppressedAt, "instant"],
  ["by", ({ by }) => by],
  ["campaignId", ({ campaign }) => campaign?.id],
  ["campaignName", ({ campaign }) => campaign?.name],
  ["endUserId", ({ user }) => user?.id],
  ["externalUserId", ({ user }) => user?.externalUserId],
  ["receiptsStoppedBy", ({ receiptsStoppedBy }) => receiptsStoppedBy],
  ["receiptsStoppedAt", ({ receiptsStoppedAt }) => receiptsStoppedAt, "instant"],
];

type Filter = Parameters<typeof nextSuppressions>[2];

const nextRows = ({ db, projectId }: ListReading, filter: Filter, after: SuppressionPlace | null) =>
  nextSuppressions(db, projectId, filter, { after, limit: ROWS });

/** All addresses that get no mail. */
export const suppressionTable: Table<Row, SuppressionPlace> = {
  columns: COLUMNS,
  open: async (reading) => (after) => nextRows(reading, { until: reading.now }, after),
};

export const suppressions = list(
  {
    name: "suppressions",
    id: "extractSuppressions",
    audit: "took out a list of addresses that get no mail",
    summary: "Take out the addresses that get no mail as a file",
    description:
      "Those that left first before the others, with why, after which campaign, and whose they are. Without a reason an address gets mail of campaigns, and only receipts are stopped: the last columns say why. `since` and `until` are of since when they get none, and include their instant.",
    query: z.object({
      since,
      until,
      campaignId,
      reason: SuppressedBy.optional().describe("Only addresses that get none for this reason."),
      q: text(320, 0).optional().describe("Only addresses that have this in them."),
    }),
  },
  async (reading, { campaignId: campaign, q, until: last, ...narrowed }, format) => {
    const filter: Filter = {
      ...narrowed,
      q: q === "" ? undefined : q,
      until: Math.min(last ?? reading.now, reading.now),
      campaignId: campaign === undefined ? undefined : uuidFor("cmp", campaign),
    };
    return fileLines(
      format,
      COLUMNS,
      walk((after: SuppressionPlace | null) => nextRows(reading, filter, after)),
    );
  },
);
