import type { Answer } from "@tidings/client";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { words } from "./words.ts";

export type Receipt = Answer<"listSends">["sends"][number];
export type ReceiptDetail = Answer<"getSend">["send"];
export type ReceiptState = Receipt["state"];

/** The key of what code writes itself, without a template of people. */
export const OWN_MAIL = "$code";

/** Whether only an address is known of the user with this id. */
export const isGuest = (externalUserId: string): boolean => externalUserId.startsWith("mailto:");

export const RECEIPT_STATES = Object.keys(words.states) as ReceiptState[];

/** How a state looks: what came back or never left is red, what is not known is outlined. */
export function lookOf(state: ReceiptState): { variant: string; color?: string } {
  switch (state) {
    case "bounced":
    case "complained":
    case "failed":
      return { variant: "filled", color: "red" };
    case "delivered":
      return { variant: "filled" };
    case "sent":
      return { variant: "light" };
    case "unknown":
    case "suppressed":
      return { variant: "outline" };
    case "waiting":
    case "sending":
      return { variant: "default" };
  }
}

const STEPS = Object.keys(words.steps) as (keyof typeof words.steps)[];

/** What happened to a receipt and when (epoch ms), in the order of time; of two at one instant, in the order of its way. */
export function timelineOf(receipt: Pick<Receipt, keyof typeof words.steps>): { name: string; at: number }[] {
  const steps = STEPS.flatMap((step) => {
    const at = receipt[step];
    return at === null ? [] : [{ name: words.steps[step], at }];
  });
  return steps.toSorted((one, other) => one.at - other.at);
}

/** The figures of a template in lists, in the order of a mail's way. */
export const LISTED_CALLS = ["sent", "delivered", "opened", "bounced"] as const;

/** The figures of each variant. Those of a secret template have no opens and clicks, which are not counted. */
export const callsOf = ({ sensitive }: Pick<CampaignDetail, "sensitive">) =>
  (["sent", "delivered", "opened", "clicked", "bounced", "complained"] as const).filter(
    (name) => !sensitive || (name !== "opened" && name !== "clicked"),
  );
