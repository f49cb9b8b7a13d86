import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** The parts of the page about email that the palette finds. */
export const places: readonly PagePlace[] = [
  { label: words.views.glance, also: "email health rates opens clicks bounces", search: { view: "glance" } },
  {
    label: words.views.sender,
    also: "email from domain dns dkim spf smtp mail server",
    search: { view: "sender" },
  },
  {
    label: words.views.suppressions,
    also: "email unsubscribed unsubscribers suppressions opted out bounced complained spam blocked",
    search: { view: "suppressions" },
  },
  {
    label: words.views.unread,
    also: "email unread unengaged inactive sunset hygiene list cleaning",
    search: { view: "unread" },
  },
  { label: words.views.unknown, also: "email unknown fate no answer resend", search: { view: "unknown" } },
  {
    label: words.views.outbox,
    also: "email caught sent mail test",
    search: { view: "outbox" },
    role: "editor",
  },
];
