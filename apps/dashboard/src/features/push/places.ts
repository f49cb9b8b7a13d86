import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** The parts of the page about push that the palette finds. */
export const places: readonly PagePlace[] = [
  { label: words.views.standing, also: "push health", search: { view: "standing" } },
  {
    label: words.views.devices,
    also: "push installations phones browsers tokens",
    search: { view: "devices" },
  },
  {
    label: words.views.credentials,
    also: "push apns fcm firebase apple certificates keys vapid web browsers",
    search: { view: "credentials" },
  },
];
