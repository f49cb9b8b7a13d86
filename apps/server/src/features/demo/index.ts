import type { Feature } from "../../domain/feature.ts";
import { plug } from "../../platform/runtime.ts";
import { localPushes } from "../push/sending/public.ts";
import { experimentRoutes } from "./experiment/routes.ts";
import { assets, deviceFile, pages, phoneInbox } from "./files.ts";
import { greetLoop } from "./greet.ts";
import { localWayOf } from "./local-push.ts";
import { mailCatcherRoutes } from "./mail-catcher/routes.ts";
import { trimCaughtMail } from "./mail-catcher/trim.ts";
import { fillDemoMonth } from "./month/fill-demo-month.ts";
import { shopNumbers } from "./numbers.ts";
import { tables } from "./tables.pure.ts";

export const demo: Feature = {
  room: "demo",
  tables,
  endpoints: [fillDemoMonth],
  files: [...assets, deviceFile, shopNumbers, phoneInbox],
  routes: [...pages, ...mailCatcherRoutes, ...experimentRoutes],
  loops: [trimCaughtMail, greetLoop],
  plugs: [plug(localPushes, localWayOf)],
};
