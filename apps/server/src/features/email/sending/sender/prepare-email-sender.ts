import { z } from "zod";
import { endpoint, personOf } from "../../../../platform/http/contract/endpoint.ts";
import { patch, text } from "../../../../platform/http/contract/fields.ts";
import { orInvalid } from "../../../../platform/settings/or-invalid.ts";
import { changeSettings, changesOfPerson } from "../../../settings/public.ts";
import { emailSettingGroup, prepareSenderDomain } from "../../sender/public.ts";
import { EmailSender } from "./schema.ts";
import { viewSender } from "./view.ts";

const typed = (max: number) => text(max).nullable();

/** Fields of the body, and whether mail may be sent from the sender's domain although DNS does not show what it should. */
const fields = {
  from: typed(1_000).describe("An address, or Name <address>."),
  postalAddress: typed(2_000).describe("The lines of the postal address."),
  smtpUrl: typed(2_048).describe("smtp://user:password@host:port. Kept sealed, and never shown again."),
  spfInclude: typed(300),
  provider: typed(20).describe("smtp, ses, postmark, sendgrid or mailgun."),
  webhookSecret: typed(4_000).describe("Kept sealed, and never shown again."),
  domainVerified: z
    .boolean()
    .describe(
      "true: send from the domain of the sender without asking DNS; false: not before DNS was asked.",
    ),
};

/** The texts that `changeSettings` takes, by the keys of the settings; an empty one clears to the default. */
const textsOf = (body: Readonly<Record<string, string | boolean | null | undefined>>) =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === undefined ? [] : [[`email.${name}`, value === null ? "" : String(value)]],
    ),
  );

export const prepareEmailSender = endpoint(
  {
    id: "prepareEmailSender",
    method: "PATCH",
    path: "/api/people/email/sender",
    audit: "changed the sender of mail",
    tag: "Email",
    summary: "Say how mail leaves",
    description:
      "Changes the settings `email.*` that are given; null goes back to the default. Makes the key of the sender's domain, where it has none yet. A mail server in the network of the server, and `domainVerified: true` where the project has no mail server of its own, take an operator.",
    keys: [],
    people: "owner",
    fresh: true,
    bodyLimit: 32 * 1_024,
    example: { from: "Acme <news@acme.example>" },
    body: patch(fields),
    result: EmailSender,
  },
  async (ctx, { body }) => {
    const { app, db, projectId, now } = ctx;
    const by = personOf(ctx).name;
    const groups = [emailSettingGroup];
    const { changes, namedBy } = await changesOfPerson(ctx, groups, textsOf(body));
    const changed = await orInvalid(
      changeSettings(db, app.secrets, projectId, changes, { groups, by, now, namedBy }),
    );
    // Viewers read the audit log: the values stand in the log of settings, which is for owners.
    ctx.describe({ after: changed.map(({ key }) => key) });
    const sender = await viewSender(ctx);
    if (sender.from === null || sender.domain !== null || sender.fault !== null) return sender;
    await orInvalid(prepareSenderDomain(db, app.secrets, projectId, { now, renew: false }));
    return viewSender(ctx);
  },
);
