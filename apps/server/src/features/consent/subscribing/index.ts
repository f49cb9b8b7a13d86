import type { Feature } from "../../../domain/feature.ts";
import { confirmRoutes } from "./confirm.ts";
import { preferenceRoutes } from "./preferences.ts";
import { consentSettingGroup } from "./settings.pure.ts";
import { subscribe } from "./subscribe.ts";

/** How readers join and leave topics: forms, mail that asks them to confirm, the page of their choices. */
export const subscribing: Feature = {
  room: "consent/subscribing",
  tables: {},
  settings: [consentSettingGroup],
  endpoints: [subscribe],
  routes: [...preferenceRoutes, ...confirmRoutes],
};
