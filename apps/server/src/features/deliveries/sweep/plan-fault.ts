import { UNREADABLE_AUDIENCE } from "../../audience/language/parse/stored.pure.ts";

/** What people read where no user of a campaign can be given a text. */
const NO_VARIANT = "No variant of this campaign has a weight, so nobody new gets it: give one a weight.";

/** Every fault that a campaign itself has, so that no user can be decided about. */
export const PLAN_FAULTS = [UNREADABLE_AUDIENCE, NO_VARIANT] as const;

/**
 * A campaign about whose users nothing can be decided, which is not the same as a campaign without users. Its sweep stays where it is
 * until people have mended the campaign. `message` is for people.
 */
export class PlanFault extends Error {
  constructor(message: (typeof PLAN_FAULTS)[number]) {
    super(message);
  }
}

export const unreadableAudience = (): PlanFault => new PlanFault(UNREADABLE_AUDIENCE);
export const noVariant = (): PlanFault => new PlanFault(NO_VARIANT);
