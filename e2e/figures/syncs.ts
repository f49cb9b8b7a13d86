import type { Facts, View } from "./view.ts";
import { number, row, size, time, yearDay } from "./written.ts";

const NAMES: Readonly<Record<string, string>> = { events: "Events", users: "Users" };

/** A sync that has written once: how far its lists are, and what is in its files. */
export async function syncFacts({ truth: { client }, names }: View): Promise<Facts> {
  const path = { id: names.$syncId ?? "" };
  const { sync } = await client.getSync({ path });
  const { windows } = await client.listSyncWindows({ path });
  return {
    everywhere: [
      ...sync.progress.flatMap(({ list, rows, bytes }) =>
        row(NAMES[list] ?? list, { Rows: number(rows), Size: size(bytes) }),
      ),
      ...windows.flatMap(({ list, until, rows, files, bytes }) =>
        row(list === "events" ? `all until ${time(until)}` : `all, as of ${yearDay(until)}`, {
          Rows: number(rows),
          Files: number(files),
          Size: size(bytes),
        }),
      ),
    ],
  };
}
