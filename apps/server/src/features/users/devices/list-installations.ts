import { z } from "zod";
import { storedUserId } from "../../../domain/fields.ts";
import { userRef } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { Environment, Installation, Permission, Platform } from "./schema.ts";
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
      userId: storedUserId.optional(),
      q: text(256, 0).optional(),
      appId: text(256).optional(),
      platform: Platform.optional(),
      environment: Environment.optional(),
      permission: Permission.optional(),
      consent: condition,
      hasToken: condition,
      ...pageQuery(25),
    }),
    result: z.strictObject({
      installations: z.array(Installation).max(100),
      page: pageFields.page,
      perPage: z.int().min(1).max(100),
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
