import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** The parts of the page about connections that the palette finds. */
export const places: readonly PagePlace[] = [
  { label: words.views.incoming, also: "calls refused not taken library", search: { view: "incoming" } },
  {
    label: words.views.connect,
    also: "segment rudderstack node python write key",
    search: { view: "connect" },
  },
];
