import type { FileRecord, LineFault, MappedLine, MappedStop } from "../schema.ts";
import { assertCalls, callsReader } from "./calls.pure.ts";
import { columnReader, objectReader, withoutApostrophes } from "./columns.pure.ts";
import type { Compiling, MappingGiven } from "./compiling.pure.ts";
import { assertFit, MappingFault } from "./fit.pure.ts";
import { eventsReader, type KindReader, skipReader, suppressionsReader, usersReader } from "./lines.pure.ts";
import { shapeChosen } from "./presets.pure.ts";
import { addressParser } from "./subjects.pure.ts";

export { MappingFault } from "./fit.pure.ts";

/**
 * Reads a line as its mapping says: what it means, or why it is not taken. It never throws. `stop`: what a line of users that is not taken
 * says of an address that gets no mail, which has to be kept all the same: its user may be known already.
 */
export type LineReader = (
  record: FileRecord,
) => { read: MappedLine } | { faults: readonly LineFault[]; stop?: MappedStop };

const NOTHING: LineFault = { field: "", rule: "unreadable", text: "The line cannot be read." };

function readerOf(compiling: Compiling): KindReader {
  if (compiling.line.isCall) return callsReader(compiling);
  switch (compiling.kind) {
    case "users":
      return usersReader(compiling);
    case "events":
      return eventsReader(compiling);
    case "suppressions":
      return suppressionsReader(compiling);
  }
}

/**
 * The reader of a file's lines. What a file says that cannot be kept is a fault of its line.
 * @throws MappingFault where the mapping does not fit the kind or the file
 */
export function compileMapping(given: MappingGiven): LineReader {
  const { kind, mapping, options, format, preset } = given;
  const columns = new Set(format.columns);
  const shape = shapeChosen(kind, preset, format.columns);
  const zone = shape?.line?.isCall ? assertCalls(mapping, shape) : assertFit(kind, mapping, options, columns);
  const isTable = format.format === "csv";
  const isOwn = shape?.writer === "tidings";
  const readObject = objectReader();
  const habits = { readObject, restore: isTable && isOwn ? withoutApostrophes : null };
  const compiling: Compiling = {
    ...given,
    shape,
    line: shape?.line ?? {},
    zone,
    isTrimmed: isTable && !isOwn,
    readObject,
    parseAddress: addressParser(),
    read: (column) => {
      const reader = columnReader(column, columns, habits);
      if (reader === null) throw new MappingFault(`The file has no column ${column}.`);
      return reader;
    },
  };
  const read = readerOf(compiling);
  const skips = skipReader(compiling);
  return (record) => {
    if ("fault" in record) return { faults: [record.fault] };
    const skipped = skips(record.fields);
    if (skipped !== null) return { faults: [skipped] };
    const faults: LineFault[] = [];
    const line = read(record.fields, faults);
    if (line?.kind === "refused") return { faults, stop: line.stop };
    if (line !== null) return { read: line };
    return { faults: faults.length > 0 ? faults : [NOTHING] };
  };
}
