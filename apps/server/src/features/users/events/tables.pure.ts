import { declareTables, USER_KEY } from "../../../domain/tables.ts";

export const tables = declareTables("users/events", {
  events: { lies: "userKey", exported: { columns: { ...USER_KEY, props: "data" } } },
  eventCounts: { lies: "userKey", exported: { columns: USER_KEY } },
});
