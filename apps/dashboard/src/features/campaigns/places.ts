import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./templates/words.ts";

/** The parts of the page about templates that the palette finds. */
export const places: readonly PagePlace[] = [
  {
    label: words.views.sends,
    also: "receipts transactional mail sent bounced delivered log",
    search: { view: "sends" },
  },
];
