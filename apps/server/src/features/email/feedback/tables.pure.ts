import { DELIVERY_KEY, declareTables } from "../../../domain/tables.ts";

export const tables = declareTables("email/feedback", {
  emailTouchHeads: { lies: "userKey", exported: { columns: DELIVERY_KEY } },
  emailTouches: { lies: "userKey", exported: { columns: DELIVERY_KEY } },
  reportTokens: { lies: "local", leftOut: "signatures of a provider of the last hours" },
});
