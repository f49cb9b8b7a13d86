import { releaseLoopOf } from "../../../timing/public.ts";
import { hastenSlots, releaseSlots } from "./send-store.ts";

/** Makes pushes due that were postponed by rules which are others now, or by a clock that was ahead. */
export const releaseLoop = releaseLoopOf({
  name: "release postponed pushes",
  channel: "push",
  ownWords: async () => [],
  release: releaseSlots,
  hasten: hastenSlots,
});
