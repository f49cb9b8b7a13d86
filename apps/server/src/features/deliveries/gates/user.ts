import { z } from "zod";
import { gate } from "./gate.ts";

/** `known`: null where the project has no such user. `proofRequired`: whether pages have to prove their user. */
type Facts = { known: object | null; proofRequired: boolean };

/** What is written where a channel reaches known users alone, and no user has this id. */
export const NO_SUCH_USER = "Nobody has this id.";

const NEW_USER = `${NO_SUCH_USER} The first page view that names it makes the user, for whom the rest is answered.`;

/** Whether the channel finds the user. @param makesUsers whether the channel makes unknown users when it delivers */
export const userGate = (makesUsers: boolean) =>
  gate({
    gate: "user",
    asks: "is there such a user (`known`)? The web makes unknown ones when it delivers. `proofRequired`: pages have to send `userHash`",
    stages: [],
    shape: {
      known: z
        .boolean()
        .describe("Whether the project has the user. The web makes an unknown user when it delivers."),
      proofRequired: z
        .boolean()
        .describe("Whether a page has to prove the user (`userHash`) to get messages."),
    },
    passes: ({ known }: Facts) => known !== null || makesUsers,
    note({ known, proofRequired }: Facts) {
      const proof = proofRequired && makesUsers ? " The page has to prove the user with userHash." : "";
      const found = known !== null ? "The user is known." : makesUsers ? NEW_USER : NO_SUCH_USER;
      return `${found}${proof}`;
    },
    details: ({ known, proofRequired }: Facts) => ({ known: known !== null, proofRequired }),
  });
