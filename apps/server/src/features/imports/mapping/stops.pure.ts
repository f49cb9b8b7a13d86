import { readInstantIn } from "../../../platform/time/written-instants.ts";
import type { Zone } from "../../../platform/time/zone.ts";
import type { MappedStop, StopRule } from "../schema.ts";
import { isYes } from "./cells.pure.ts";
import { type ColumnReader, isNothing } from "./columns.pure.ts";

/** Why and since when the address of a line gets no mail; null where no rule applies. */
export type StopReader = (fields: Readonly<Record<string, unknown>>) => Omit<MappedStop, "address"> | null;

type Applies = (value: unknown) => boolean;

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? ""
    : String(value ?? "")
        .trim()
        .toLowerCase();

function conditionOf(when: StopRule["when"]): Applies {
  if (typeof when !== "string") {
    const texts = new Set(when.map((text) => text.trim().toLowerCase()));
    return (value) => texts.has(textOf(value));
  }
  switch (when) {
    case "always":
      return () => true;
    case "true":
      return isYes;
    case "given":
      return (value) => !isNothing(value);
    case "negative":
      return (value) => Number(textOf(value)) < 0;
  }
}

/**
 * Reads who gets no mail, by the first rule that applies. An instant that cannot be read, or lies ahead, is left out: the address gets no mail
 * all the same.
 * @param read finds the column of a name
 */
export function stopReader(
  rules: readonly StopRule[],
  read: (column: string) => ColumnReader,
  zone: Zone,
  now: number,
): StopReader {
  const compiled = rules.map(({ column, when, reason, at }) => {
    const applies = conditionOf(when);
    const cell = column === null ? () => undefined : read(column);
    const instant = at === undefined ? () => undefined : read(at);
    return {
      applies: (fields: Readonly<Record<string, unknown>>) => applies(cell(fields)),
      stop: (fields: Readonly<Record<string, unknown>>) => {
        const ms = readInstantIn(zone, instant(fields));
        return { reason, at: ms !== null && ms >= 0 && ms <= now ? ms : null };
      },
    };
  });
  return (fields) => compiled.find(({ applies }) => applies(fields))?.stop(fields) ?? null;
}
