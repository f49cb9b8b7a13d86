import { z } from "zod";
import { Platform, PushEnvironment, storedUserId } from "../../../domain/fields.ts";
import { userRef } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { Installation, Permission } from "./schema.ts";
import { listInstallationRows, toInstallation } from "./store.ts";

/** A condition that a query says as a text; undefined where it says none. */
const condition = z
  .enum(["true", "false"])
  .transform((typed) => typed === "true")
  .optional();

export const listInstallations = endpoint(
  {
    id: "listInstallations",
    method: "GET",
    path: "/api/v1/installations",
    tag: "Installations",
    summary: "List installations, newest first",
    description:
      "Filters narrow one another. `userId` is the id in your product of the user they are bound to; `q` is part of that or of the id of the installation, whatever its case.",
    keys: ["secret"],
    people: "viewer",
    budget: "push",
    tool: "It lists single devices, which people look at who test a push.",
    oneInstant: true,
    cost: "heavy",
    query: z.object({
      userId: storedUserId
        .optional()
        .describe("Only installations that are bound to this user, by the id in your product."),
      q: text(256, 0)
        .optional()
        .describe("Part of the id of the user or of the installation, whatever its case."),
      appId: text(256).optional().describe("Bundle id, package name, or your name of a site."),
      platform: Platform.optional().describe("What the device runs."),
      environment: PushEnvironment.optional().describe(
        "Which of the provider's environments the app was built for.",
      ),
      permission: Permission.optional(),
      consent: condition.describe("Only those whose user agreed to pushes, or only the others."),
      hasToken: condition.describe("Only those that have a push token, or only the others."),
      ...pageQuery(25),
    }),
    result: z.strictObject({
      installations: z.array(Installation).max(100).describe("The installations."),
      page: pageFields.page,
      perPage: z.int().min(1).max(100).meta({ description: "Entries of a page.", example: 25 }),
      total: pageFields.total,
    }),
    refusals: "strict",
  },
  async ({ db, projectId }, { query }) => {
    const { userId, page, perPage, ...conditions } = query;
    const filter = { ...conditions, user: userId === undefined ? undefined : userRef(projectId, userId) };
    const { rows, total } = await listInstallationRows(db, projectId, filter, pageWindow(query));
    return { installations: rows.map(toInstallation), page, perPage, total };
  },
);
