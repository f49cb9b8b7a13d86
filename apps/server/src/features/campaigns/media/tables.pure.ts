import { declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("campaigns/media", {
  media: { lies: "reference", exported: { columns: { bytes: "bytes" }, page: 4 } },
});
