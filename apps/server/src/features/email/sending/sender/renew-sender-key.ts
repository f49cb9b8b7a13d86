import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { orInvalid } from "../../../../platform/settings/or-invalid.ts";
import { prepareSenderDomain } from "../../sender/public.ts";
import { EmailSender } from "./schema.ts";
import { viewSender } from "./view.ts";

export const renewSenderKey = endpoint(
  {
    id: "renewSenderKey",
    method: "POST",
    path: "/api/people/email/sender/key",
    audit: "made a new key for the sender's domain",
    tag: "Email",
    summary: "Make a new key for the sender's domain",
    description: "Mail is not signed from then on, until DNS shows the new key and was asked for it.",
    keys: [],
    people: "owner",
    fresh: true,
    result: EmailSender,
  },
  async (ctx) => {
    const { app, db, projectId, now } = ctx;
    const { domain } = await orInvalid(prepareSenderDomain(db, app.secrets, projectId, { now, renew: true }));
    ctx.describe({ target: domain });
    return viewSender(ctx);
  },
);
