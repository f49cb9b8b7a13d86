import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { hashOfRun } from "./chain/chain.ts";
import { AgentRun, RunReferences } from "./schema.ts";
import { findNeighbours, findVariantNamesOf, listRuns } from "./store.ts";
import { hasTranscript } from "./transcripts/transcript-store.ts";

const neighbour = text(128).nullable();

const Place = z.object({
  isWhole: z
    .boolean()
    .describe(
      "Whether its hash, computed again, is the one that it has, and the run before it has the hash that it names.",
    ),
  previousId: neighbour.describe("The run before it; null for the first one, and where it is missing."),
  nextId: neighbour.describe("The run after it; null for the newest one."),
});

export const getAgentRun = endpoint(
  {
    id: "getAgentRun",
    method: "GET",
    path: "/api/people/agent-runs/{id}",
    tag: "Agent runs",
    summary: "Read one run, and look whether its place in the chain is whole",
    keys: [],
    people: "viewer",
    oneInstant: true,
    params: z.object({ id: pathIds.run }),
    result: z.object({
      run: AgentRun.describe("The run."),
      references: RunReferences.describe("Names behind ids, with `include=names`."),
      hasTranscript: z.boolean().describe("Whether what a model was asked and answered was kept."),
      place: Place.nullable().describe("Its place in the chain, looked at now; null for a run in no chain."),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { params }) => {
    const id = uuidFor("run", params.id);
    const { runs, references } = await listRuns(db, projectId, { id }, { offset: 0, limit: 1 });
    const [found] = runs;
    if (found === undefined) throw new ApiError("not_found", "Agent run not found");
    const { chain, campaignId } = found;
    const variants =
      campaignId === null ? {} : await findVariantNamesOf(db, projectId, uuidFor("cmp", campaignId));
    const named = { ...references, variants: { ...references.variants, ...variants } };
    const shown = { run: found, references: named, hasTranscript: await hasTranscript(db, projectId, id) };
    if (chain === null) return { ...shown, place: null };
    const { seq, hash, prevHash } = chain;
    const { previous, next, startHash } = await findNeighbours(db, projectId, seq);
    const isWhole =
      hashOfRun(found, { projectId, seq, prevHash }) === hash && (previous?.hash ?? startHash) === prevHash;
    return { ...shown, place: { isWhole, previousId: previous?.id ?? null, nextId: next?.id ?? null } };
  },
);
