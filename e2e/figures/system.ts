import type { Facts, View } from "./view.ts";
import { number, percent, row } from "./written.ts";

const SIZE = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** Bytes in the largest unit of which there is one. */
function size(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${SIZE.format(bytes / 2 ** (10 * unit))} ${UNITS[unit]}`;
}

/** How the server is, as it answered the page itself: its disk and its tables change while the test looks at other pages. */
export async function systemFacts({ truth, system }: View): Promise<Facts> {
  const { sends: unknown } = await truth.client.listUnknownSends();
  const known = system();
  if (known === null) throw new Error("The page asked nothing of how the server is.");
  const { version, commit, node, postgres, database, disk, turns, backups } = known;
  const minutes = Math.floor((known.evaluatedAt - known.startedAt) / 60_000);
  const { applied, last } = database.migrations;
  return {
    everywhere: [
      ...row("Tidings", { Value: commit === null ? version : `${version}, commit ${commit.slice(0, 12)}` }),
      ...(minutes < 1
        ? []
        : row("This process", {
            Value: `runs since ‹an instant› (${number(minutes)} ${minutes === 1 ? "minute" : "minutes"}): answers requests, works`,
          })),
      ...row("Node.js", { Value: node }),
      ...row("PostgreSQL", { Value: postgres }),
      ...row("Migrations", { Value: `${number(applied)} applied, the last ${last} on ‹an instant›` }),
      ...row("Database", { Value: `${size(database.bytes)}, embedded: it lies in DATA_DIR` }),
      ...(disk === null
        ? []
        : row("Disk of DATA_DIR", {
            Value: `${size(disk.freeBytes)} free of ${size(disk.totalBytes)} (${percent(Math.round((1 - disk.freeBytes / disk.totalBytes) * 100) / 100)} used), at ‹a temporary folder›`,
          })),
      ...database.tables.flatMap(({ name, bytes, rows }) =>
        row(name, {
          "Size with indexes": size(bytes),
          "Rows, about": rows === null ? "not counted yet" : number(rows),
        }),
      ),
      // The folder of the house may have digits in its name.
      ...(backups === null ? [] : row("Folder", { Value: backups.folder })),
      ...row("By itself", { Value: "No: set BACKUP_EVERY, such as 1d, and start the server again" }),
      // Nothing is due in a month that was played to its end.
      "Mail that is due: 0",
      "Pushes that are due: 0",
      `Mail of unknown fate: ${number(unknown.length)}`,
      `All ${number(turns.length)} of them go as they should.`,
    ],
  };
}
