import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ensureTemplate } from "../../transactional/public.ts";
import { CONFIRM_TEMPLATE } from "./rules.ts";

/** The template of mail that asks to confirm. It is made with the first such mail, and people write it anew as any other. */
export const confirmTemplate = (ctx: Ctx) =>
  ensureTemplate(ctx, CONFIRM_TEMPLATE, {
    name: "Confirm a subscription",
    message: {
      subject: "Please confirm: {{ data.topics }}",
      body: "You, or a person who typed your address, asked for email about **{{ data.topics }}**.\n\nPress the button to get it. If it was not you, do nothing: without the button you are not subscribed.",
      cta: { label: "Yes, I want it", url: "{{ data.confirm_url }}" },
    },
  });
