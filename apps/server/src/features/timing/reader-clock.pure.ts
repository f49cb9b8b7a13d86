import { UTC, type Zone, zoneNamed } from "../../platform/time/zone.ts";

/** No zone has a longer name; what is longer is none. */
const LONGEST_NAME = 64;

/** A zone and its name. */
export type ReaderClock = { name: string; zone: Zone };

/** The clock of a zone; that of UTC where there is no such zone. */
export const clockNamed = (name: string): ReaderClock => {
  const zone = zoneNamed(name);
  return zone === null ? { name: "UTC", zone: UTC } : { name, zone };
};

/** The clock of a reader: that of the zone in their traits, else that of the project. @param named the trait, which may be any JSON */
export function readerClock(named: unknown, project: ReaderClock): ReaderClock {
  if (typeof named !== "string" || named.length > LONGEST_NAME) return project;
  const zone = zoneNamed(named);
  return zone === null ? project : { name: named, zone };
}
