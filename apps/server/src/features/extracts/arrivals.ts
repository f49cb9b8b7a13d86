import { type ArrivalPlace, type ArrivedEvent, beginningOf, nextArrivals } from "./arrivals-store.ts";
import { EVENT_COLUMNS } from "./extract-events.ts";
import type { Table } from "./table.ts";

/** Events by when they arrived: what is in one window is in no other, whenever it happened. */
export const arrivalTable: Table<ArrivedEvent, ArrivalPlace> = {
  columns: [
    ...EVENT_COLUMNS,
    ["recordedAt", ({ recordedAt }) => (recordedAt === 0 ? null : recordedAt), "instant"],
  ],
  open: async (reading) => (after, isQuiet) =>
    nextArrivals(reading.db, reading, after ?? beginningOf(reading), isQuiet),
};
