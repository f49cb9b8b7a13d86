/** What a role finds in a database before Tidings uses it. */
export type DatabaseStanding = {
  /** What named the database: DATABASE_URL, say. */
  setting: string;
  role: string;
  database: string;
  /** As PostgreSQL numbers its versions: 150018. */
  version: number;
  encoding: string;
  isStandby: boolean;
  isReadOnly: boolean;
  /** Where `default_transaction_read_only` and `search_path` come from, as `pg_settings` calls it. */
  readOnlyBy: string;
  pathBy: string;
  path: string;
  /** The first schema of the path that is there, in which new tables are made; null where there is none. */
  schema: string | null;
  /** Where the tables of Tidings are; null where there are none. */
  home: string | null;
  /** Whether the path leads to them. */
  isHomeInPath: boolean;
  /** Whether the database has other programs' tables, and none of Tidings, under names that Tidings gives. */
  foreign: readonly string[];
  /** Owners of tables of Tidings as whom the role may not act. */
  owners: readonly string[];
  /** Tables of Tidings that the role may not read and write. */
  closed: readonly string[];
  mayCreateSchema: boolean;
  mayCreateTable: boolean;
  inheritsRights: boolean;
};

const OLDEST = 150_000;

/** A name as it stands in a statement. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Names, the first three of them. */
const listed = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;

/** Which statement takes a setting away, by where it comes from; null where a file or the address has it. */
function resetOf({ role, database }: DatabaseStanding, name: string, source: string): string | null {
  const where: Readonly<Record<string, string>> = {
    user: `role ${quoted(role)}`,
    database: `database ${quoted(database)}`,
    "database user": `role ${quoted(role)} in database ${quoted(database)}`,
    global: "role all",
  };
  return where[source] === undefined ? null : `alter ${where[source]} reset ${name}`;
}

const otherOwners = ({ owners }: DatabaseStanding): string => owners.map(quoted).join(" and ");

function closedFault(standing: DatabaseStanding): string | null {
  const { role, database, closed, home, setting } = standing;
  if (closed.length === 0) return null;
  const schemas = `${quoted(home ?? "public")}, people`;
  return `The role ${quoted(role)} may not read and write ${listed(closed)} in the database ${quoted(database)}: name the owner of the tables (${otherOwners(standing)}) in ${setting}, or run there as a superuser: grant usage on schema ${schemas} to ${quoted(role)}; grant select, insert, update, delete on all tables in schema ${schemas} to ${quoted(role)}`;
}

function ownerFault(standing: DatabaseStanding): string | null {
  const { role, database, owners, inheritsRights, setting } = standing;
  if (owners.length === 0) return null;
  const inherit = inheritsRights ? [] : [`alter role ${quoted(role)} inherit`];
  const grants = [...inherit, ...owners.map((owner) => `grant ${quoted(owner)} to ${quoted(role)}`)].join(
    "; ",
  );
  return `The tables in the database ${quoted(database)} belong to ${otherOwners(standing)}, and ${quoted(role)} may not change them: name ${otherOwners(standing)} in ${setting}, or run as a superuser: ${grants}`;
}

/**
 * Why no command can use this database, or null.
 * @param migrates whether the command applies what is missing
 */
export function useFault(standing: DatabaseStanding, migrates: boolean): string | null {
  const { role, database, version, home, isHomeInPath, path, foreign } = standing;
  if (version < OLDEST)
    return `Tidings needs PostgreSQL 15 or newer, and this is ${Math.floor(version / 10_000)}`;
  if (home === null && foreign.length > 0)
    return `The database ${quoted(database)} has tables of another program (${listed(foreign)}), and Tidings needs one of its own: create database tidings owner ${quoted(role)}`;
  if (home !== null && !isHomeInPath) {
    const reset = `alter role ${quoted(role)} set search_path = ${quoted(home)}`;
    return `The tables of Tidings are in the schema ${quoted(home)} of the database ${quoted(database)}, which the search_path of the role ${quoted(role)} (${path}) does not lead to. Run as a superuser: ${reset}`;
  }
  if (!standing.closed.includes("migrations")) return null;
  return (migrates ? ownerFault(standing) : null) ?? closedFault(standing);
}

function writeFault(standing: DatabaseStanding): string | null {
  if (standing.isStandby)
    return `The database of ${standing.setting} is a standby, which takes no writes: name the primary`;
  if (!standing.isReadOnly) return null;
  const reset = resetOf(standing, "default_transaction_read_only", standing.readOnlyBy);
  return `The database of ${standing.setting} takes no writes, because default_transaction_read_only is on${
    reset === null
      ? `: turn it off where it comes from (${standing.readOnlyBy})`
      : `. Run as a superuser: ${reset}`
  }`;
}

/** Why the server cannot serve this database, although it has all migrations; null where it can. */
export const serveFault = (standing: DatabaseStanding): string | null =>
  writeFault(standing) ?? closedFault(standing);

/** Why what is missing cannot be applied to this database, or null. Nothing was changed yet. */
export function migrateFault(standing: DatabaseStanding): string | null {
  const { role, database, encoding, schema, home, path, pathBy } = standing;
  const fault = writeFault(standing);
  if (fault !== null) return fault;
  if (schema === null) {
    const reset = resetOf(standing, "search_path", pathBy);
    return reset === null
      ? `The role ${quoted(role)} may use no schema of its search_path (${path}) in the database ${quoted(database)}. As the owner of the database, or as a superuser, run there: grant usage, create on schema public to ${quoted(role)}`
      : `The search_path of the role ${quoted(role)} (${path}) names no schema that it may use in the database ${quoted(database)}. Run as a superuser: ${reset}`;
  }
  if (home === null && encoding !== "UTF8")
    return `The database ${quoted(database)} has the encoding ${encoding}, and Tidings needs UTF8. Make another one: create database tidings encoding 'UTF8' template template0`;
  if (home !== null && home !== schema)
    return `The tables of Tidings are in the schema ${quoted(home)}, and the role ${quoted(role)} would make new ones in ${quoted(schema)}, because its search_path is ${path}. Run as a superuser: alter role ${quoted(role)} set search_path = ${quoted(home)}`;
  const owned = ownerFault(standing);
  if (owned !== null) return owned;
  const missing = [
    ...(standing.mayCreateSchema ? [] : [`grant create on database ${quoted(database)} to ${quoted(role)}`]),
    ...(standing.mayCreateTable ? [] : [`grant create on schema ${quoted(schema)} to ${quoted(role)}`]),
  ];
  return missing.length === 0
    ? null
    : `The role ${quoted(role)} may not make what Tidings needs in the database ${quoted(database)}. As the owner of the database, or as a superuser, run there: ${missing.join("; ")}`;
}

/** Why the texts of a database that is in use are not safe, or null. */
export const encodingWarning = ({ encoding, database }: DatabaseStanding): string | null =>
  encoding === "UTF8"
    ? null
    : `the database ${quoted(database)} has the encoding ${encoding}: texts outside of it are refused, and counted by bytes. Dump it, and restore it into a database that was made with encoding 'UTF8' template template0`;
