import type { Feature } from "../../domain/feature.ts";
import { countOrphanDataAcrossProjects } from "./check-store.ts";
import { receiptCalls } from "./compat/calls.ts";
import { forgetMailLoop, forgetSealedLoop } from "./forget.ts";
import { getSend } from "./get-send.ts";
import { listSends } from "./list-sends.ts";
import { receiptChannel } from "./send/channel.ts";
import { sendMail } from "./send/send-mail.ts";
import { tables } from "./tables.pure.ts";

/** Mail that goes to one recipient because a program requests it: receipts, resets of passwords. */
export const transactional: Feature = {
  room: "transactional",
  tables,
  endpoints: [sendMail, listSends, getSend, ...receiptCalls],
  loops: [receiptChannel.reapLoop, receiptChannel.sendLoop, forgetMailLoop, forgetSealedLoop],
  checks: [
    {
      name: "transactional mail: what it is filled with has its mail, and its files too",
      invariant: 5,
      compares: "facts",
      countDifferences: countOrphanDataAcrossProjects,
    },
  ],
  tags: {
    "Transactional mail":
      "Receipts, resets of passwords: one mail to one recipient, when your code requests it.",
  },
};
