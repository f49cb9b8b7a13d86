import type { ExportedTable } from "../../domain/house-tables.ts";
import { identitySealedAs } from "../access/public.ts";
import { dkimSealedAs } from "../email/sender/public.ts";
import { credentialSealedAs } from "../push/credentials/public.ts";
import { settingSealedAs } from "../settings/public.ts";
import type { Row } from "./schema.ts";

type Kept = {
  /** The text that the seal of the secret is bound to. */
  boundTo: (projectId: string, row: Row) => string;
  /** What people call it. */
  called: (row: Row) => string;
};

/** The secret that verifies users. An import without it stops requiring verification. */
export const IDENTITY_SECRET = "the identity secret";

const KEPT: Readonly<Record<string, Kept>> = {
  settings: {
    boundTo: (projectId, { key }) => settingSealedAs(projectId, String(key)),
    called: ({ key }) => String(key),
  },
  identity_secrets: {
    boundTo: identitySealedAs,
    called: ({ expires_at }) => (expires_at === null ? IDENTITY_SECRET : "a former identity secret"),
  },
  dkim_keys: {
    boundTo: (projectId, { domain }) => dkimSealedAs(projectId, String(domain)),
    called: ({ domain }) => `the DKIM key of ${domain}`,
  },
  push_credentials: {
    boundTo: (projectId, { id }) => credentialSealedAs(projectId, String(id)),
    called: ({ app_id, platform, environment }) =>
      `the push credential of ${app_id}, ${platform}, ${environment}`,
  },
};

function keptIn({ name }: ExportedTable): Kept {
  const kept = KEPT[name];
  if (kept === undefined) throw new Error(`It is not said what the secrets of ${name} are bound to.`);
  return kept;
}

/** The text that the seal of a row's secret is bound to. */
export const sealedIn = (table: ExportedTable, projectId: string, row: Row): string =>
  keptIn(table).boundTo(projectId, row);

/** What people call the secret of a row. */
export const secretCalled = (table: ExportedTable, row: Row): string => keptIn(table).called(row);

/** The column of a table that is a secret, or null. */
export const secretColumn = ({ columns }: ExportedTable): string | null =>
  Object.keys(columns).find((column) => columns[column] === "secret") ?? null;
