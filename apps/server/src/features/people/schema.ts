import { z } from "zod";

import { epochMs, text } from "../../platform/http/contract/fields.ts";
import { PERSON_ROLES } from "../../platform/http/contract/person.ts";

export const personRole = z.enum(PERSON_ROLES);

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** An address of a person, in lower case: the name of their account. */
export const personEmail = text(254)
  .transform((typed) => typed.trim().toLowerCase())
  .refine((email) => EMAIL.test(email), "must be an email address");

export const personName = text(80)
  .transform((typed) => typed.trim())
  .refine(
    (name) => name !== "" && !/\p{Cc}/u.test(name),
    "must not be blank, nor contain control characters",
  );

/** A password that is being chosen. */
export const newPassword = text(128, 10).describe("10 to 128 characters.");

export const linkToken = text(64, 43)
  .refine((value) => /^[A-Za-z0-9_-]*$/.test(value), "must be made of A-Z, a-z, 0-9, - and _")
  .describe("What follows the # in the link.");

export const personId = z.uuid().describe("Id of the person.");

const roleHere = z.object({
  projectId: text(36).describe("The project."),
  role: personRole.describe("What they may do in it."),
});

export const Member = z
  .object({
    id: personId,
    name: text(256).describe("What they call themselves."),
    email: text(320).describe("The address with which they sign in."),
    isOperator: z.boolean().describe("Whether they run the server."),
    role: personRole
      .nullable()
      .describe("What they may do in all projects; null where they have roles in single ones only."),
    roles: z.array(roleHere).max(10_000).describe("What they may do in single projects."),
    createdAt: epochMs.describe("When they came, in epoch milliseconds."),
    lastSeenAt: epochMs
      .nullable()
      .describe("When they last signed in or came back, in epoch milliseconds; null before that."),
    passkeys: z.int().min(0).describe("How many passkeys they sign in with."),
  })
  .meta({ id: "Member" });

export const Invitation = z
  .object({
    email: text(320).describe("Whom it is for."),
    role: personRole.describe("What they will be able to do."),
    projectIds: z.array(text(36)).max(1_000).nullable().describe("In which projects; null for all."),
    madeBy: text(256).describe("Who made it."),
    createdAt: epochMs.describe("When it was made, in epoch milliseconds."),
    expiresAt: epochMs.describe("Until when its link works, in epoch milliseconds."),
  })
  .meta({ id: "Invitation" });

export const LinkMade = z.object({
  link: text(2_048).describe("The link, shown this once: only its hash is kept."),
  expiresAt: epochMs.describe("Until when it works, in epoch milliseconds."),
});
