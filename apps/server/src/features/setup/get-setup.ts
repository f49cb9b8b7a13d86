import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { readSetup } from "./read-setup.ts";
import { Setup } from "./schema.ts";

export const getSetup = endpoint(
  {
    id: "getSetup",
    method: "GET",
    path: "/api/people/setup",
    tag: "Reports",
    summary: "How far a project is put up, and why nobody gets a message yet",
    description:
      "What a first day needs, each with whether it is there, and for each channel what stands in the way of all of its messages. It reads a few rows, however large the project is.",
    keys: [],
    people: "viewer",
    oneInstant: true,
    result: Setup,
  },
  async (ctx) => ({ evaluatedAt: ctx.now, ...(await readSetup(ctx)) }),
);
