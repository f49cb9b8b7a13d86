import type { Feature } from "../../../platform/feature.ts";
import { getCaughtMail } from "./get-caught-mail.ts";
import { listCaughtMail } from "./list-caught-mail.ts";

export const mailCatcher: Feature = { endpoints: [listCaughtMail, getCaughtMail] };
