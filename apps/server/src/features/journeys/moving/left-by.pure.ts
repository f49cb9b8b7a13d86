import { z } from "zod";

/** Why users have left a journey. */
export const LeftBy = z
  .enum(["finished", "goal", "event", "removed", "ended", "erased"])
  .describe(
    "`finished`: they went through all steps. `goal`, `event`: they did what ends it. `removed`, `ended`: a person took them out, or ended the journey. `erased`: the user is.",
  );
export type LeftBy = z.infer<typeof LeftBy>;
