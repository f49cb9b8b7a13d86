import type { TablePlacement } from "../../src/domain/tables.ts";
import { tables } from "../../src/features.ts";
import { columnsOfSchema } from "../../test/contracts/schema.ts";
import { liesByLane, Reader } from "./reading.ts";

const places: ReadonlyMap<string, TablePlacement> = new Map(tables.map(({ name, lies }) => [name, lies]));

/** Where a table lies; what no room declares is on one machine. */
export const placeOf = (table: string): TablePlacement => places.get(table) ?? "local";

/** Whether rows of a table lie by lane. */
export const isSpread = (table: string): boolean => liesByLane(placeOf(table));

/** A reader of statements that knows all tables of the house. */
export const houseReader = (): Reader =>
  new Reader(
    new Map(
      tables.map(({ name, lies }) => [
        name,
        {
          lies,
          columns: new Set(columnsOfSchema.filter(({ table }) => table === name).map(({ column }) => column)),
        },
      ]),
    ),
  );
