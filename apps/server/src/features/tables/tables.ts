import type { IdPrefix } from "../../domain/ids.ts";
import type { Exported, KeyKind, Owned, Place } from "../../domain/tables.ts";
import type { Tables } from "../../platform/db/db.ts";
import { tables as access } from "../access/tables.pure.ts";
import { tables as segments } from "../audience/segments/tables.pure.ts";
import { tables as campaigns } from "../campaigns/authoring/tables.pure.ts";
import { tables as goals } from "../campaigns/goals/tables.pure.ts";
import { tables as media } from "../campaigns/media/tables.pure.ts";
import { tables as rollups } from "../counting/rollups/tables.pure.ts";
import { tables as usage } from "../counting/usage/tables.pure.ts";
import { tables as deliveries } from "../deliveries/tables.pure.ts";
import { tables as demo } from "../demo/tables.pure.ts";
import { tables as addresses } from "../email/addresses/tables.pure.ts";
import { tables as emailFeedback } from "../email/feedback/tables.pure.ts";
import { tables as email } from "../email/sending/tables.pure.ts";
import { tables as transport } from "../email/transport/tables.pure.ts";
import { tables as erasure } from "../erasure/tables.pure.ts";
import { tables as observations } from "../ingest/observations/tables.pure.ts";
import { tables as credentials } from "../push/credentials/tables.pure.ts";
import { tables as push } from "../push/sending/tables.pure.ts";
import { tables as runs } from "../runs/tables.pure.ts";
import { tables as settings } from "../settings/tables.pure.ts";
import { tables as devices } from "../users/devices/tables.pure.ts";
import { tables as events } from "../users/events/tables.pure.ts";
import { tables as profiles } from "../users/profiles/tables.pure.ts";
import { tables as web } from "../web/tables.pure.ts";
import { tables as platform } from "./platform.pure.ts";

/** Every table of the schema, as its room declares it. One that no room declares does not compile. */
const declared: Readonly<Record<keyof Tables, Owned>> = {
  ...access,
  ...settings,
  ...runs,
  ...usage,
  ...rollups,
  ...profiles,
  ...events,
  ...devices,
  ...segments,
  ...goals,
  ...media,
  ...campaigns,
  ...deliveries,
  ...web,
  ...addresses,
  ...transport,
  ...credentials,
  ...email,
  ...push,
  ...emailFeedback,
  ...observations,
  ...erasure,
  ...demo,
  ...platform,
};

/** A declared table: its name in the database, and the tables whose rows have to be there before its own. */
export type Table = Owned & { name: string; needs: ReadonlySet<string> };

/** `emailSends` -> `email_sends`. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

/** Tables whose rows bring the keys of a kind: rows with such a key are found through them. */
const BRINGS = {
  user: ["users", "erasedUsers"],
  address: ["emailAddresses"],
  installation: ["installations"],
  observer: ["installations"],
  token: ["installations"],
  slot: ["pushSlots"],
} as const satisfies Record<KeyKind, readonly (keyof Tables)[]>;

/** Tables whose rows have to be there before those of this one: foreign keys name them, or they bring the keys that it has. */
function neededBy(name: string, table: Owned): readonly string[] {
  const treatments = "exported" in table ? Object.values(table.exported.columns) : [];
  const bringers = Object.entries<readonly string[]>(BRINGS).flatMap(([kind, tables]) =>
    treatments.some((treatment) => treatment === `${kind} key`) && !tables.includes(name) ? tables : [],
  );
  return [...(table.refersTo ?? []), ...bringers];
}

/** The tables in an order in which each comes after those that it needs. */
function sorted(): readonly Table[] {
  const done = new Map<string, Table>();
  const add = (name: string): void => {
    const table = declared[name as keyof Tables];
    if (done.has(name)) return;
    const needed = neededBy(name, table);
    for (const other of needed) add(other);
    done.set(name, { ...table, name: snake(name), needs: new Set(needed.map(snake)) });
  };
  for (const name of Object.keys(declared)) add(name);
  return [...done.values()];
}

/** Every table, each after those that it refers to. */
export const tables: readonly Table[] = sorted();

/** A table of an export. */
export type ExportedTable = Exported & Pick<Table, "name" | "needs">;

/** What an export contains, in the order in which it can be imported. */
export const exportedTables: readonly ExportedTable[] = tables.flatMap((table) =>
  "exported" in table ? [{ ...table.exported, name: table.name, needs: table.needs }] : [],
);

/** The prefixes of ids that follow from the id of the project, so that an import makes others. */
export const idPrefixes: readonly IdPrefix[] = tables.flatMap(({ ids }) => ids ?? []);

/** The tables whose rows have a key of their own, with that key. */
export const keyedTables: readonly { table: keyof Tables; key: Place }[] = Object.entries(declared).flatMap(
  ([table, { lies }]) => (lies.endsWith("Key") ? [{ table: table as keyof Tables, key: lies }] : []),
);
