import { z } from "zod";
import { endpoint, KIB, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { connect } from "./manage.ts";
import { assertAddress, sealedOf, tooManySources, viewSource } from "./people.ts";
import { branch, credential, instructions, knownHosts, newSourceId, repository, Source } from "./schema.ts";

export const connectSource = endpoint(
  {
    id: "connectSource",
    method: "POST",
    path: "/api/people/sources",
    audit: { did: "connected a repository", target: "source" },
    tag: "Launches",
    summary: "Connect a repository",
    description:
      "It is fetched at once, and looked at each minute. Its credential is kept sealed, and never shown. Files of the server, plain HTTP and hosts of its network take an operator; for others the host has to be there.",
    keys: [],
    people: "owner",
    fresh: true,
    bodyLimit: 64 * KIB,
    status: 201,
    body: z.object({
      id: newSourceId,
      kind: z.enum(["git", "github"]).default("git").describe("Where it lies."),
      url: repository,
      branch: branch.default("main"),
      credential: credential.optional(),
      knownHosts: knownHosts.optional(),
      instructions: instructions.default(""),
    }),
    example: { id: "app", url: "https://git.example.com/acme/app.git", branch: "main" },
    result: z.object({ source: Source }),
    errors: ["conflict"],
  },
  async (ctx, { body }) => {
    const { id, kind, url } = body;
    await assertAddress(ctx, { url, kind });
    const byOperator = personOf(ctx).isOperator;
    const source = { id, kind, url, byOperator, branch: body.branch, instructions: body.instructions };
    const sealed = sealedOf(ctx, id, body) ?? null;
    const became = await connect(ctx.db, ctx.projectId, { ...source, credential: sealed }, ctx.now);
    if (became === "too_many") throw tooManySources();
    if (became === "known") throw new ApiError("conflict", "The project has a source of this id already.");
    ctx.describe({ target: id, after: { kind, url, branch: body.branch, hasCredential: sealed !== null } });
    return { source: await viewSource(ctx, id) };
  },
);
