import { tables } from "../../src/features.ts";
import { columnsOfSchema } from "../../test/contracts/schema.ts";
import { Reader } from "./reading.ts";

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
