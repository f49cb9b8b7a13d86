import type { Page } from "../../platform/pages.ts";

export const syncs: Page = {
  path: "syncs",
  label: "Syncs",
  section: "project",
  also: "sync warehouse data lake export files parquet csv ndjson s3 bucket r2 minio bigquery snowflake redshift databricks clickhouse duckdb etl schedule",
  role: "approver",
  ofProject: true,
  load: async () => (await import("./list.tsx")).SyncsPage,
};

export const sync: Page = {
  path: "syncs/$syncId",
  label: "Sync",
  role: "approver",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./sync.tsx")).SyncPage,
};
