import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { Key } from "../schema.ts";
import { listKeys as selectKeys } from "../store.ts";

export const listKeys = endpoint(
  {
    id: "listKeys",
    method: "GET",
    path: "/api/people/keys",
    tag: "Keys",
    summary: "List the keys of a project that work",
    keys: [],
    people: "owner",
    result: z.object({
      keys: z
        .array(Key)
        .max(100_000)
        .describe("By kind; those without an end first, then the newest of the others."),
    }),
  },
  async ({ db, projectId, now }) => {
    const keys = await selectKeys(db, projectId, now);
    return {
      keys: keys.map(({ publishableToken, ...key }) => ({ ...key, publishableKey: publishableToken })),
    };
  },
);
