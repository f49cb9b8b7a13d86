import type { CampaignTopic } from "../../campaigns/topics/public.ts";

/** Whether a reader wants a topic. `choice`: what they chose; null where they have chosen nothing. */
export const wantsTopic = (
  { isDefaultIn }: Pick<CampaignTopic, "isDefaultIn">,
  choice: boolean | null,
): boolean => choice ?? isDefaultIn;

/**
 * What happened. `requested`: a mail that asks to confirm was sent; `confirmed`: its button was pressed; `joined`, `left`: a choice was made without
 * such a mail.
 */
export const CONSENT_ACTIONS = ["requested", "confirmed", "joined", "left"] as const;
export type ConsentAction = (typeof CONSENT_ACTIONS)[number];

/**
 * Where a reader chose. `one_click`: with the button of a mail program, or the unsubscribe link of a mail; `preferences`: on the page of their
 * choices; `confirmation`: with the button of the mail that asks; `form`: on a page of the customer, with the publishable key; `api`: by the
 * customer's server; `person`: a member of the team, by hand; `import`: brought from another tool.
 */
export const CONSENT_VIA = [
  "one_click",
  "preferences",
  "confirmation",
  "form",
  "api",
  "person",
  "import",
] as const;
export type ConsentVia = (typeof CONSENT_VIA)[number];

/** Whether the id of a user says that only their address is known. */
export const isGuestId = (externalId: string): boolean => externalId.startsWith("mailto:");
