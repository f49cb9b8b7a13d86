import { z } from "zod";
import { endpoint, personOf } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { readTemplateUser as readerOf } from "../../../content/template/public.ts";
import { parseAddress } from "../../addresses/rules.ts";
import { assertServing, sendTestMail, TEST_REASONS } from "../test-mail.ts";

const CONTENT = {
  subject: "Your mail arrives",
  previewText: "The sender, the mail server and the signature work.",
  body: "You asked for this mail in the dashboard.\n\nIt came the way that the mail of your campaigns goes: from **your sender**, through **your mail server**, signed with the key of your domain where DNS shows it.\n\nDid it land among spam? Look at the records of the domain, and let a new domain begin slowly.",
};

export const testEmailSender = endpoint(
  {
    id: "testEmailSender",
    method: "POST",
    path: "/api/people/email/sender/test",
    audit: "sent a mail to try the sender",
    tag: "Email",
    summary: "Send a test mail to yourself",
    description: "It goes to the address of the person who asks, and counts as a test mail of the project.",
    keys: [],
    people: "editor",
    reachesUsers: "It sends words of Tidings to the person who asks.",
    ownTransaction: true,
    result: z.object({
      to: z.string().max(320).describe("Where it went."),
      messageId: z.string().max(512).describe("Message-ID of the mail."),
      response: z.string().max(1_000).describe("What the mail server said."),
    }),
    errors: ["conflict"],
    reasons: TEST_REASONS,
  },
  async (ctx) => {
    const to = parseAddress(personOf(ctx).email);
    if (to === null) throw new ApiError("conflict", "Your address is none that mail can be sent to.");
    await assertServing(ctx);
    const person = readerOf({ externalId: "test", traits: {}, serverTraits: null });
    const sent = await sendTestMail(
      ctx,
      { to, person, user: null, content: CONTENT },
      { campaignId: "none" },
    );
    return { to: to.address, ...sent };
  },
);
