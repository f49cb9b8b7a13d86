import { z } from "zod";
import { FRESH_MS } from "../../platform/http/admission/admit-person.ts";
import { accountOf, endpoint } from "../../platform/http/contract/endpoint.ts";
import { epochMs, text } from "../../platform/http/contract/fields.ts";
import { personId, personRole } from "./schema.ts";
import { personOrigin, takesPasskeys } from "./sign-in/origin.ts";
import { countPasskeys } from "./sign-in/session-store.ts";
import { listProjectsOfPerson } from "./store.ts";

const MyProject = z.object({
  id: text(36).describe("The project."),
  name: text(80).describe("What people call it."),
  publishableKey: text(64).nullable().describe("The key for its pages and apps."),
  isDemo: z.boolean().describe("Whether the demo made it."),
  role: personRole.describe("What this person may do in it."),
});

export const getMe = endpoint(
  {
    id: "getMe",
    method: "GET",
    path: "/api/people/me",
    tag: "People",
    summary: "Read who is signed in, and what they may do",
    keys: [],
    people: "any",
    scope: "organization",
    result: z.object({
      id: personId,
      name: text(256).describe("What the person calls themselves."),
      email: text(320).describe("The address with which they sign in."),
      isOperator: z.boolean().describe("Whether they run the server."),
      role: personRole
        .nullable()
        .describe("What they may do in all projects; null where they have roles in single ones only."),
      projects: z.array(MyProject).max(100_000).describe("The projects in which they may do something."),
      freshUntil: epochMs.describe(
        "Until when this sign-in is enough for what is hard to take back, in epoch milliseconds.",
      ),
      passkeys: z.int().min(0).describe("How many passkeys they have."),
      hasDemo: z.boolean().describe("Whether this server shows the demo shop."),
      takesPasskeys: z.boolean().describe("Whether passkeys can be made at this server's address."),
    }),
  },
  async (ctx) => {
    const { id, name, email, isOperator, role, signedInAt } = accountOf(ctx);
    return {
      id,
      name,
      email,
      isOperator,
      role,
      projects: await listProjectsOfPerson(ctx.db, id),
      freshUntil: signedInAt + FRESH_MS,
      passkeys: await countPasskeys(ctx.db, id),
      hasDemo: ctx.app.config.demo,
      takesPasskeys: takesPasskeys(personOrigin(ctx.app.publicUrl(), ctx.app.config)),
    };
  },
);
