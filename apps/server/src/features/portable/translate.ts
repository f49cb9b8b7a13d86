import { hash } from "node:crypto";
import type { z } from "zod";
import { Platform, PushEnvironment } from "../../domain/fields.ts";
import type { ExportedTable } from "../../domain/house-tables.ts";
import { anonymisedRef, installationRef, keyRef, userRef } from "../../domain/ids.ts";
import type { TableKeyKind, Treatment } from "../../domain/tables.ts";
import type { Secrets } from "../../platform/secrets/secrets.ts";
import { derivedKey } from "../../platform/uuid.ts";
import type { PushContent, PushSettings } from "../content/push/message.pure.ts";
import { fingerprint } from "../content/push/public.ts";
import { addressRef } from "../email/addresses/public.ts";
import { tokenRefOf } from "../users/devices/public.ts";
import { isRoundedWhenRead, parseExactly } from "./lines.ts";
import { PortableError } from "./portable-error.ts";
import type { Row } from "./schema.ts";
import { sealedIn } from "./secrets.ts";

/**
 * The exported project, the new one, and the origin from which the new one's images are served. `ids` finds the ids that the new one
 * has others for: see `idPattern`.
 */
export type ProjectMove = { from: string; to: string; publicUrl: string; ids: RegExp };

/** A key of the old project, and the key that replaces it in the new one. */
export type KeyReplacement = { kind: TableKeyKind; oldKey: string; newKey: string };

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const IS_UUID = new RegExp(`^${UUID}$`);

/** Finds the ids of the API with one of the prefixes in a text. */
export const idPattern = (prefixes: readonly string[]): RegExp =>
  new RegExp(`\\b(${prefixes.join("|")})_(${UUID})\\b`, "g");

/**
 * The id in the new project that replaces another one: a hash, so that the same id is always replaced by the same one, with the same
 * millisecond, so that lists keep their order. Different imports give different ids.
 */
export function newId({ from, to }: Pick<ProjectMove, "from" | "to">, id: string): string {
  if (id === from) return to;
  const drawn = hash("sha256", `${to}\0id\0${id}`, "hex");
  const variant = ((Number.parseInt(drawn.charAt(0), 16) & 0x3) | 0x8).toString(16);
  return `${id.slice(0, 19)}${variant}${drawn.slice(1, 4)}-${drawn.slice(4, 16)}`;
}

/** Columns whose JSON is read as JavaScript reads it, which would show another number than the one in the file. */
const HAS_JSON: ReadonlySet<Treatment | undefined> = new Set([
  "data",
  "ids within",
  "slot ids within",
] as const);

/** A text in which the project's ids, and the addresses of its own images, are those of the new project. */
export function withNewIds(move: ProjectMove, text: string): string {
  const image = new RegExp(`https?://[^\\s"'\\\\()<>]*/media/${move.from}/`, "g");
  return text
    .replaceAll(image, () => `${move.publicUrl}/media/${move.to}/`)
    .replaceAll(move.ids, (_, prefix: string, id: string) => `${prefix}_${newId(move, id)}`);
}

function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new PortableError(`${column} must be a string`);
  return value;
}

function uuidOf(row: Row, column: string): string {
  const value = textOf(row, column);
  if (!IS_UUID.test(value)) throw new PortableError(`${column} must be a UUID`);
  return value;
}

function oneOf<Value extends string>(values: z.ZodType<Value>, row: Row, column: string): Value {
  const { data } = values.safeParse(row[column]);
  if (data === undefined) throw new PortableError(`${column} is none that is known`);
  return data;
}

function ofInstallation({ to }: ProjectMove, row: Row): KeyReplacement[] {
  const oldKey = uuidOf(row, "installation_key");
  const newKey = installationRef(to, textOf(row, "installation_id")).installationKey;
  const createdAt = String(row.created_at);
  const keys: KeyReplacement[] = [
    { kind: "installation", oldKey, newKey },
    // The key under which the commands of the device are stored, see recordObservations.
    {
      kind: "observer",
      oldKey: derivedKey(oldKey, createdAt),
      newKey: derivedKey(newKey, createdAt),
    },
  ];
  return typeof row.token !== "string" || row.token_key === null ? keys : [...keys, ofToken({ to }, row)];
}

/** The key of a token, from a row that has the token and the app, platform and environment of its installation. */
function ofToken({ to }: Pick<ProjectMove, "to">, row: Row): KeyReplacement {
  const platform = oneOf(Platform, row, "platform");
  const environment = oneOf(PushEnvironment, row, "environment");
  const app = { appId: textOf(row, "app_id"), platform, environment };
  const { tokenKey } = tokenRefOf(to, app, textOf(row, "token"));
  return { kind: "token", oldKey: uuidOf(row, "token_key"), newKey: tokenKey };
}

const ofExternalId = ({ to }: ProjectMove, row: Row): KeyReplacement[] => [
  { kind: "user", oldKey: uuidOf(row, "user_key"), newKey: userRef(to, textOf(row, "external_id")).userKey },
];

/** The new keys that a row defines, by table. */
const OWNERS: Readonly<Record<string, (move: ProjectMove, row: Row) => KeyReplacement[]>> = {
  users: ofExternalId,
  // The key of a visitor who became a user: what the visitor left lies under it.
  identities: ofExternalId,
  // The key of an anonymised user is random, and becomes another random one.
  erased_users: (_, row) => {
    const oldKey = uuidOf(row, "user_key");
    return [{ kind: "user", oldKey, newKey: anonymisedRef(keyRef(oldKey)).userKey }];
  },
  email_addresses: ({ to }, row) =>
    row.address === null
      ? []
      : [
          {
            kind: "address",
            oldKey: uuidOf(row, "address_key"),
            newKey: addressRef(to, textOf(row, "address")).addressKey,
          },
        ],
  installations: ofInstallation,
  installation_ended_tokens: (move, row) => [ofToken(move, row)],
};

/** Changes a row to what it is in the new project, and answers the keys that it defines. References are replaced in the database. */
export function translator(
  move: ProjectMove,
  secrets: Secrets,
): (table: ExportedTable, row: Row) => KeyReplacement[] {
  /** The new value of a column; earlier columns of `row` already have their new values. */
  const translated = (table: ExportedTable, column: string, row: Row): unknown => {
    const value = row[column];
    if (value === null || value === undefined) return null;
    if (HAS_JSON.has(table.columns[column]) && isRoundedWhenRead(value))
      throw new PortableError(`${column} has a number that cannot be kept exactly: make it a text`);
    switch (table.columns[column]) {
      case "id":
        return newId(move, uuidOf(row, column));
      case "ids within":
        return typeof value === "string"
          ? withNewIds(move, value)
          : parseExactly(withNewIds(move, JSON.stringify(value)));
      case "bytes":
        return `\\x${Buffer.from(textOf(row, column), "base64").toString("hex")}`;
      case "secret":
        return `\\x${secrets.seal(textOf(row, column), sealedIn(table, move.to, row)).toString("hex")}`;
      case "fingerprint":
        return fingerprint(row.content as PushContent, row.settings as PushSettings);
      default:
        return value;
    }
  };
  return (table, row) => {
    const keys = OWNERS[table.name]?.(move, row) ?? [];
    // Keep the order of the declaration: seals and fingerprints are computed from columns that come before.
    for (const column of Object.keys(table.columns))
      if (column in row) row[column] = translated(table, column, row);
    return keys;
  };
}
