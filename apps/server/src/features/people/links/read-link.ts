import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { epochMs, text } from "../../../platform/http/contract/fields.ts";
import { linkToken, personRole } from "../schema.ts";
import { findMember, findProjects, hasMembersAcrossProjects } from "../store.ts";
import { findLinkAcrossProjects } from "./link-store.ts";
import { digestOf } from "./links.ts";

export const LINK_GONE = "This link does not work any more. Ask for another one.";

export const readLink = endpoint(
  {
    id: "readLink",
    method: "POST",
    path: "/api/people/links/read",
    tag: "People",
    summary: "Look at a link that lets somebody in",
    keys: [],
    people: "open",
    scope: "organization",
    isRead: true,
    errors: ["not_found"],
    body: z.object({ token: linkToken }),
    example: { token: "Vt2mJ0Jq4T8kQ1vUcXw7bD5eF6gH3iL9mN0pR2sT4vZ" },
    result: z.object({
      kind: z
        .enum(["first", "invitation", "password"])
        .describe("What it does: makes the first person, lets one in, or sets a password."),
      email: text(320).nullable().describe("Whose account it is for; null where they choose."),
      name: text(256).nullable().describe("What they call themselves; null where they have no account yet."),
      role: personRole.nullable().describe("What they will be able to do."),
      projects: z
        .array(text(80))
        .max(1_000)
        .nullable()
        .describe("Names of the projects; null for all of them."),
      madeBy: text(256).describe("Who made the link."),
      expiresAt: epochMs.describe("Until when it works, in epoch milliseconds."),
    }),
  },
  async ({ db, now }, { body: { token } }) => {
    const link = await findLinkAcrossProjects(db, digestOf(token), now);
    if (link === null || (link.kind === "first" && (await hasMembersAcrossProjects(db))))
      throw new ApiError("not_found", LINK_GONE);
    const { kind, organizationId, email, personId, role, projectIds, madeBy, expiresAt } = link;
    const whom = personId !== null ? { id: personId } : email !== null ? { email } : null;
    const member = whom && (await findMember(db, organizationId, whom));
    const projects = projectIds && (await findProjects(db, organizationId, projectIds));
    return {
      kind,
      role,
      madeBy,
      expiresAt,
      email: member?.email ?? email,
      name: member?.name ?? null,
      projects: projects?.map(({ name }) => name) ?? null,
    };
  },
);
