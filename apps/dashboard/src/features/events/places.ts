import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** The parts of the page about events that the palette finds. */
export const places: readonly PagePlace[] = [
  { label: words.views.stream, also: "events live stream", search: { view: "stream" } },
  { label: words.views.names, also: "events names counts", search: { view: "names" } },
];
