import type { IdPrefix } from "../../domain/ids.ts";
import { type Exported, kindOfKey, type Owned, type TableKeyKind } from "../../domain/tables.ts";
import type { Tables } from "../../platform/db/db.ts";
import { snakeCase } from "../../platform/text/snake-case.ts";
import { tables as access } from "../access/tables.pure.ts";
import { tables as credits } from "../agent/credits/tables.pure.ts";
import { tables as evaluations } from "../agent/evaluations/tables.pure.ts";
import { tables as approvals } from "../approvals/tables.pure.ts";
import { tables as segments } from "../audience/segments/tables.pure.ts";
import { tables as audit } from "../audit/tables.pure.ts";
import { tables as campaigns } from "../campaigns/authoring/tables.pure.ts";
import { tables as goals } from "../campaigns/goals/tables.pure.ts";
import { tables as media } from "../campaigns/media/tables.pure.ts";
import { tables as rollups } from "../counting/rollups/tables.pure.ts";
import { tables as usage } from "../counting/usage/tables.pure.ts";
import { tables as deliveries } from "../deliveries/tables.pure.ts";
import { tables as demo } from "../demo/tables.pure.ts";
import { tables as addresses } from "../email/addresses/tables.pure.ts";
import { tables as emailFeedback } from "../email/feedback/tables.pure.ts";
import { tables as emailSender } from "../email/sender/tables.pure.ts";
import { tables as email } from "../email/sending/tables.pure.ts";
import { tables as transport } from "../email/transport/tables.pure.ts";
import { tables as erasure } from "../erasure/tables.pure.ts";
import { tables as guardrails } from "../guardrails/tables.pure.ts";
import { tables as observations } from "../ingest/observations/tables.pure.ts";
import { tables as launch } from "../launch/tables.pure.ts";
import { tables as people } from "../people/tables.pure.ts";
import { tables as credentials } from "../push/credentials/tables.pure.ts";
import { tables as push } from "../push/sending/tables.pure.ts";
import { tables as runs } from "../runs/tables.pure.ts";
import { tables as settings } from "../settings/tables.pure.ts";
import { tables as registry } from "../sources/registry/tables.pure.ts";
import { tables as sourceWork } from "../sources/work/tables.pure.ts";
import { tables as system } from "../system/tables.pure.ts";
import { tables as devices } from "../users/devices/tables.pure.ts";
import { tables as events } from "../users/events/tables.pure.ts";
import { tables as profiles } from "../users/profiles/tables.pure.ts";
import { tables as web } from "../web/tables.pure.ts";
import { tables as platform } from "./platform.pure.ts";

/** Every table of the schema, as its room declares it. One that no room declares does not compile. */
const declared: Readonly<Record<keyof Tables, Owned>> = {
  ...access,
  ...audit,
  ...people,
  ...settings,
  ...emailSender,
  ...runs,
  ...credits,
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
  ...guardrails,
  ...web,
  ...addresses,
  ...transport,
  ...credentials,
  ...email,
  ...push,
  ...emailFeedback,
  ...observations,
  ...evaluations,
  ...registry,
  ...sourceWork,
  ...launch,
  ...approvals,
  ...erasure,
  ...demo,
  ...system,
  ...platform,
};

/** A declared table: its name in the database, and the tables whose rows have to be there before its own. */
export type Table = Owned & { name: string; needs: ReadonlySet<string> };

/** The tables whose rows bring keys of a kind. */
const bringersOf = (kind: TableKeyKind): string[] =>
  Object.entries(declared).flatMap(([name, table]) =>
    "exported" in table && table.exported.brings?.includes(kind) === true ? name : [],
  );

/** Tables whose rows have to be there before those of this one: foreign keys name them, or they bring the keys that it has. */
function neededBy(name: string, table: Owned): readonly string[] {
  const treatments = "exported" in table ? Object.values(table.exported.columns) : [];
  const kinds = new Set(treatments.flatMap((treatment) => kindOfKey(treatment) ?? []));
  const bringers = [...kinds].map(bringersOf).filter((names) => !names.includes(name));
  return [...(table.refersTo ?? []), ...bringers.flat()];
}

/** The tables in an order in which each comes after those that it needs. */
function sorted(): readonly Table[] {
  const done = new Map<string, Table>();
  const add = (name: string): void => {
    const table = declared[name as keyof Tables];
    if (done.has(name)) return;
    const needed = neededBy(name, table);
    for (const other of needed) add(other);
    done.set(name, { ...table, name: snakeCase(name), needs: new Set(needed.map(snakeCase)) });
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
