export { type ExportedTable, exportedTables, idPrefixes, tables } from "./tables.ts";
