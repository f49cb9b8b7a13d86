import { type DeliveryState, NOT_LEFT } from "../deliveries/lifecycle/rules.ts";
import { emailCensus, explainEmail } from "../email/sending/public.ts";
import { explainPush, pushCensus } from "../push/sending/public.ts";
import { explainWeb, webCensus } from "../web/public.ts";
import { isOpenState } from "../web/rules.ts";

const isToBeSent = (state: DeliveryState): boolean => NOT_LEFT.includes(state);

/**
 * How each channel explains whom it reaches, and counts them. `makesUsers`: it reaches unknown users too, and makes them. `isOpen`: more comes
 * of a delivery in this state.
 */
export const CHANNELS = {
  web_inapp: { explain: explainWeb, census: webCensus, makesUsers: true, isOpen: isOpenState },
  email: { explain: explainEmail, census: emailCensus, makesUsers: false, isOpen: isToBeSent },
  push: { explain: explainPush, census: pushCensus, makesUsers: false, isOpen: isToBeSent },
} as const;
