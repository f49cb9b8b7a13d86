import { csvInstant, csvRow } from "@tidings/client/csv";

/** An entry as a file has it, with names beside the ids. What is not there any more has none. */
export type FiledEntry = {
  id: number;
  at: number;
  projectId: string | null;
  by: { kind: string; id: string | null; name: string };
  operation: string;
  target: string | null;
  fields: readonly string[];
  before: unknown;
  after: unknown;
  requestId: string | null;
  projectName: string | null;
  targetName: string | null;
  /** What the values before and after name, by their ids. */
  names: Readonly<Record<string, string>>;
};

const COLUMNS: readonly [string, (entry: FiledEntry) => unknown][] = [
  ["id", ({ id }) => id],
  ["at", ({ at }) => csvInstant(at)],
  ["project", ({ projectId }) => projectId],
  ["projectName", ({ projectName }) => projectName],
  ["by", ({ by }) => by.name],
  ["byKind", ({ by }) => by.kind],
  ["byId", ({ by }) => by.id],
  ["operation", ({ operation }) => operation],
  ["target", ({ target }) => target],
  ["targetName", ({ targetName }) => targetName],
  ["fields", ({ fields }) => fields.join(" ")],
  ["before", ({ before }) => before],
  ["after", ({ after }) => after],
  ["names", ({ names }) => (Object.keys(names).length === 0 ? null : names)],
  ["requestId", ({ requestId }) => requestId],
];

export const CSV_HEAD = csvRow(COLUMNS.map(([name]) => name));
export const csvLine = (entry: FiledEntry): string => csvRow(COLUMNS.map(([, read]) => read(entry)));
export const jsonLine = (entry: FiledEntry): string => `${JSON.stringify(entry)}\n`;
