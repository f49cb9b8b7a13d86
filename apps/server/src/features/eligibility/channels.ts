import { emailReach } from "../email/sending/public.ts";
import { pushReach } from "../push/sending/public.ts";
import { webReach } from "../web/public.ts";

/** How each channel explains whom it reaches, and counts them. */
export const CHANNELS = { web_inapp: webReach, email: emailReach, push: pushReach } as const;
