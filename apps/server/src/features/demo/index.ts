import type { Feature } from "../../platform/feature.ts";
import { plug } from "../../platform/runtime.ts";
import { localPushes } from "../push/sending/public.ts";
import { assets, pages, phoneInbox } from "./files.ts";
import { greetLoop } from "./greet.ts";
import { localWayOf } from "./local-push.ts";
import { shopNumbers } from "./numbers.ts";
import { outboxRoutes } from "./outbox/routes.ts";
import { trimOutbox } from "./outbox/trim.ts";

export const demo: Feature = {
  files: [...pages, ...assets, shopNumbers, phoneInbox],
  routes: outboxRoutes,
  loops: [trimOutbox, greetLoop],
  plugs: [plug(localPushes, localWayOf)],
};
