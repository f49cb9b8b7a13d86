import { z } from "zod";
import { endpoint, KIB, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { pathId } from "../../../platform/http/contract/fields.ts";
import { hostOf } from "../git/url.pure.ts";
import { assertAddress, requireSource, sealedOf, viewSource } from "./people.ts";
import { branch, credential, instructions, knownHosts, repository, Source } from "./schema.ts";
import { type SourceChangeOfPeople, type SourceRow, updateSource } from "./store.ts";

/** What the audit log keeps of a source: nothing of its credential but whether there is one. */
const shown = (source: SourceRow) => ({
  kind: source.kind,
  url: source.url,
  branch: source.branch,
  enabled: source.enabled,
  paused: source.paused,
  hasCredential: source.credential !== null,
});

export const changeSource = endpoint(
  {
    id: "changeSource",
    method: "PATCH",
    path: "/api/people/sources/{id}",
    audit: { did: "changed a repository", target: "source" },
    tag: "Launches",
    summary: "Change a repository",
    description:
      "What is left out stays. With another address, branch or credential all about it is looked at anew. An address at another host needs the credential again, so that nobody can have it sent elsewhere.",
    keys: [],
    people: "owner",
    fresh: true,
    bodyLimit: 64 * KIB,
    params: z.object({ id: pathId }),
    body: z.object({
      kind: z.enum(["git", "github"]).optional().describe("Where it lies."),
      url: repository.optional(),
      branch: branch.optional(),
      credential: credential.nullable().optional().describe("The credential."),
      knownHosts: knownHosts.optional(),
      instructions: instructions.optional(),
      enabled: z.boolean().optional().describe("Whether it is looked at."),
      paused: z.boolean().optional().describe("Whether campaigns that announce its changes wait."),
    }),
    example: { paused: true },
    result: z.object({ source: Source }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params: { id }, body }) => {
    const { db, projectId, now } = ctx;
    const { credential: given, knownHosts: _, ...plain } = body;
    const before = await requireSource(ctx, id, "for update");
    const { kind = before.kind, url = before.url } = plain;
    if (plain.kind !== undefined || plain.url !== undefined)
      await assertAddress(ctx, { kind, url }, before.url);
    if (given === undefined && before.credential !== null && hostOf(url) !== hostOf(before.url))
      throw new ApiError("conflict", "This address is at another host: give the credential again, or none.");
    // An address that stays is still an operator's; one that an operator gives again becomes so.
    const { isOperator } = personOf(ctx);
    const isNamed =
      plain.url !== undefined && (isOperator ? !before.byOperator || url !== before.url : url !== before.url);
    const byOperator = isNamed ? isOperator : undefined;
    const all = { ...plain, byOperator, credential: sealedOf(ctx, id, body) };
    const change = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
      // Only fields of a change are left, with values of their types.
    ) as SourceChangeOfPeople;
    if (Object.keys(change).length === 0) throw new ApiError("invalid_request", "Say what to change.");
    await updateSource(db, projectId, id, change, now);
    ctx.describe({ before: shown(before), after: shown(await requireSource(ctx, id)) });
    return { source: await viewSource(ctx, id) };
  },
);
