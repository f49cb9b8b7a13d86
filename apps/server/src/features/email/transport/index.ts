import type { Feature } from "../../../domain/feature.ts";
import { getCaughtMail } from "./get-caught-mail.ts";
import { listCaughtMail } from "./list-caught-mail.ts";
import { tables } from "./tables.pure.ts";

export const transport: Feature = {
  room: "email/transport",
  tables,
  endpoints: [listCaughtMail, getCaughtMail],
};
