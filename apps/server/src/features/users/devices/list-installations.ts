import { z } from "zod";
import { externalUserId } from "../../../domain/fields.ts";
import { userRef } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { pageFields, pageQuery, pageWindow } from "../../../platform/http/page.ts";
import { Installation } from "./schema.ts";
import { listInstallationRows, toInstallation } from "./store.ts";

export const listInstallations = endpoint(
  {
    id: "listInstallations",
    method: "GET",
    path: "/api/v1/installations",
    tag: "Installations",
    summary: "List installations, newest first",
    description: "`userId` is the id in your product of the user they are bound to.",
    keys: ["secret"],
    people: "viewer",
    budget: "push",
    oneInstant: true,
    cost: "heavy",
    query: z.object({ userId: externalUserId.optional(), ...pageQuery(25) }),
    result: z.strictObject({
      installations: z.array(Installation).max(100),
      page: pageFields.page,
      perPage: z.int().min(1).max(100),
      total: pageFields.total,
    }),
    refusals: "strict",
  },
  async ({ db, projectId }, { query }) => {
    const { userId, page, perPage } = query;
    const user = userId === undefined ? null : userRef(projectId, userId);
    const { rows, total } = await listInstallationRows(db, projectId, user, pageWindow(query));
    return { installations: rows.map(toInstallation), page, perPage, total };
  },
);
