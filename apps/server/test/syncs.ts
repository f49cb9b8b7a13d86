import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "@tidings/client";
import { parse } from "csv-parse/sync";
import { parquetReadObjects } from "hyparquet";
import { askAs } from "./asking.ts";
import type { SharedHouse, TestProject } from "./harness.ts";
import type { S3Peer } from "./peers/s3.ts";
import { giveRole, makePerson, type TestPerson } from "./people.ts";

export type Sync = Answer<"getSync">["sync"];

/** What lies in the place of a sync, by its path there. */
export type Files = ReadonlyMap<string, Buffer>;

export const filesInFolder = (folder: string): Files =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path))]),
  );

export const filesInBucket = ({ objects }: S3Peer, prefix: string): Files =>
  new Map(
    [...objects]
      .filter(([name]) => name.startsWith(`${prefix}/`))
      .map(([name, data]) => [name.slice(prefix.length + 1), data]),
  );

/** A row of a file as it is read: instants as epoch milliseconds, JSON as what it says, null where there is nothing. */
export type FileRow = Readonly<Record<string, unknown>>;

const JSON_COLUMNS: ReadonlySet<string> = new Set(["props", "traits", "input", "output", "error", "values"]);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const fromCell = (name: string, cell: unknown): unknown => {
  if (cell instanceof Date) return cell.getTime();
  if (cell === "" || cell === undefined) return null;
  if (typeof cell !== "string") return cell;
  if (JSON_COLUMNS.has(name)) return JSON.parse(cell);
  return INSTANT.test(cell) ? Date.parse(cell) : cell;
};

const fromCells = (row: Readonly<Record<string, unknown>>): FileRow =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, fromCell(name, cell)]));

/** The rows of a file, read by a library that knows nothing of what has written it. */
export async function rowsOf(path: string, data: Buffer): Promise<FileRow[]> {
  if (path.endsWith(".parquet")) {
    const file = new Uint8Array(data).buffer;
    return (await parquetReadObjects({ file })).map(fromCells);
  }
  if (path.endsWith(".csv")) {
    const rows = parse(data, { bom: true, columns: true }) as Record<string, string>[];
    return rows.map(fromCells);
  }
  const lines = data.toString("utf8").split("\n");
  assert.equal(lines.pop(), "", "the last line has an end");
  return lines.map((line) => JSON.parse(line) as FileRow);
}

type Manifest = {
  sync: string;
  list: string;
  format: string;
  since?: number | null;
  until?: number;
  begunAt?: number;
  rows: number;
  files: { name: string; rows: number; bytes: number; sha256: string }[];
};

/** A window that is complete: what its manifest says, and the rows of its files. */
export type ReadWindow = { folder: string; manifest: Manifest; rows: FileRow[] };

async function readWindow(files: Files, folder: string): Promise<ReadWindow> {
  const manifest = JSON.parse(files.get(`${folder}/_manifest.json`)?.toString() ?? "") as Manifest;
  const rows: FileRow[] = [];
  for (const [index, { name, ...named }] of manifest.files.entries()) {
    assert.equal(name, `part-${String(index + 1).padStart(5, "0")}.${manifest.format}`, folder);
    const data = files.get(`${folder}/${name}`);
    assert.ok(data, `${folder}/${name}`);
    const found = await rowsOf(name, data);
    assert.deepEqual(named, { rows: found.length, bytes: data.length, sha256: hash("sha256", data) }, folder);
    rows.push(...found);
  }
  assert.equal(manifest.rows, rows.length, folder);
  const known = new Set([...manifest.files.map(({ name }) => name), "_manifest.json"]);
  const others = [...files.keys()].filter(
    (path) => path.startsWith(`${folder}/part`) && !known.has(path.slice(folder.length + 1)),
  );
  assert.deepEqual(others, [], "every file is named");
  return { folder, manifest, rows };
}

const byFolder = (a: ReadWindow, b: ReadWindow): number => (a.folder < b.folder ? -1 : 1);

/** The complete windows of a list, in their order. Each file has to be as its manifest says. */
export async function windowsOf(files: Files, list: string): Promise<ReadWindow[]> {
  const folders = [...files.keys()]
    .filter((path) => path.startsWith(`${list}/`) && path.endsWith("/_manifest.json"))
    .map((path) => path.slice(0, path.lastIndexOf("/")));
  return (await Promise.all(folders.map((folder) => readWindow(files, folder)))).sort(byFolder);
}

/** The windows of events: those of a sync follow each other without a gap, and each event arrived in its window. */
export async function eventWindowsOf(files: Files): Promise<ReadWindow[]> {
  const windows = await windowsOf(files, "events");
  for (const [index, { folder, manifest, rows }] of windows.entries()) {
    const { since = null, until = 0 } = manifest;
    if (index > 0) assert.equal(since, windows[index - 1]?.manifest.until, folder);
    for (const { recordedAt } of rows)
      assert.ok(Number(recordedAt) >= (since ?? 0) && Number(recordedAt) < until, folder);
  }
  return windows;
}

/** The ids that senders gave the events of a place, in the order in which they were written. */
export const eventIdsOf = async (files: Files): Promise<string[]> =>
  (await eventWindowsOf(files)).flatMap(({ rows }) => rows.map(({ eventId }) => String(eventId)));

/** An owner of a project, and what they ask of syncs. */
export async function syncOwner(house: SharedHouse, { projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "owner");
  return askingAs(house, person, projectId);
}

export type SyncOwner = Awaited<ReturnType<typeof syncOwner>>;

/** What a person asks of syncs. */
export function askingAs(house: SharedHouse, person: TestPerson, projectId: string) {
  const ask = (method: string, path = "", body?: object) => {
    const at = `/api/people/syncs${path}`;
    return askAs(house, person, projectId, body === undefined ? [method, at] : [method, at, body]);
  };
  const answered = async (status: number, request: ReturnType<typeof ask>): Promise<Sync> => {
    const { status: found, text, body } = await request;
    assert.equal(found, status, text);
    return body.sync as Sync;
  };
  return {
    person,
    ask,
    create: (body: object): Promise<Sync> =>
      answered(201, ask("POST", "", { format: "ndjson", every: "hour", ...body })),
    read: (id: string): Promise<Sync> => answered(200, ask("GET", `/${id}`)),
    change: (id: string, body: object): Promise<Sync> => answered(200, ask("PATCH", `/${id}`, body)),
    run: (id: string): Promise<Sync> => answered(200, ask("POST", `/${id}/run`, {})),
  };
}

/** The place in a bucket of a store. */
export const placeInBucket = ({ url, region, bucket, key }: S3Peer, prefix: string) => ({
  s3: { endpoint: url, region, bucket, prefix, ...key },
});
