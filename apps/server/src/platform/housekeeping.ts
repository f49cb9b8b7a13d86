import type { Check } from "./checks.ts";
import { countUnansweredAcrossProjects } from "./db/check-store.ts";
import { forgetOldKeysAcrossProjects } from "./http/idempotency/idempotency-store.ts";
import { aloneLoop } from "./loops/alone-loop.ts";
import type { Loop } from "./loops/loops.ts";
import { HOUR_MS } from "./time/clock.ts";

const forgetIdempotencyKeys = aloneLoop({
  name: "forget idempotency keys",
  everyMs: HOUR_MS,
  deletesByAge: true,
  turn: (app) => forgetOldKeysAcrossProjects(app.database.kysely, app.clock()),
});

/** The platform's own loops and checks. The platform knows no features, so `domain/platform.ts` makes one of them. */
export const housekeeping: { loops: readonly Loop[]; checks: readonly Check[] } = {
  loops: [forgetIdempotencyKeys],
  checks: [
    {
      name: "requests: what was done under an Idempotency-Key has its answer",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnansweredAcrossProjects,
    },
  ],
};
