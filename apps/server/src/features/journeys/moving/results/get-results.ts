import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { count } from "../../../../platform/http/contract/fields.ts";
import { variantName } from "../../../campaigns/authoring/schema.ts";
import { requireJourney } from "../../authoring/public.ts";
import { splitOf } from "../../authoring/rules.ts";
import { journeyInPath } from "../../authoring/schema.ts";
import { MAX_ARMS, MAX_STEPS } from "../../authoring/steps.pure.ts";
import { readDefinition } from "../../authoring/stored.pure.ts";
import type { Did } from "../../authoring/walk.pure.ts";
import { readCounts } from "../story/list-store.ts";
import { JourneyStatistics } from "./schema.ts";
import { NO_STATISTICS, readArmStatistics } from "./statistics.ts";

/** What is counted of a step. Users are moved from steps that are there no more. */
const SHOWN = [
  "sent",
  "withheld",
  "skipped",
  "waited",
  "happened",
  "met",
  "unmet",
  "split",
] as const satisfies readonly Did[];

export const getJourneyResults = endpoint(
  {
    id: "getJourneyResults",
    method: "GET",
    path: "/api/v1/journeys/{id}/results",
    tag: "Journeys",
    summary: "Read how many users are where in a journey",
    description: "At every step as many have arrived as are there and have gone on.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: journeyInPath }),
    result: z.object({
      entered: count.describe("How often users entered."),
      moved: count.describe("How often a change moved users on from a step that it took away."),
      inside: count.describe("How many are inside."),
      left: z
        .object({
          finished: count.describe("After the last step."),
          goal: count.describe("By the event of the goal."),
          event: count.describe("By another event."),
          removed: count.describe("Taken out."),
          ended: count.describe("With the journey."),
        })
        .describe("How many have left, and how."),
      steps: z
        .array(
          z.object({
            stepId: z.string().max(32).describe("Id of the step."),
            here: count.describe("Users who are there."),
            sent: count.describe("Whose message left."),
            withheld: count.describe("Who are held out of the goal, so that they got none."),
            skipped: count.describe("Who could not get it, or whose date did not come."),
            waited: count.describe("Who have waited."),
            happened: count.describe("Who went on because the event came for which they waited."),
            met: count.describe("Who went on to the next step."),
            unmet: count.describe("Who went on elsewhere."),
            split: count.describe("Who went on by their arm."),
          }),
        )
        .max(MAX_STEPS)
        .describe("The steps."),
      arms: z
        .array(
          z.object({
            name: variantName.describe("Name of the arm."),
            entered: count.describe("How often users entered who go through it."),
          }),
        )
        .max(MAX_ARMS)
        .describe("The arms of the split; none where the journey has no split."),
      statistics: JourneyStatistics.nullable().describe(
        "What may be claimed about the arms, at any time and however often one looks: users by their first entry, with which they count as exposed, and who of them did the event of the goal within its attribution window.",
      ),
      noStatistics: z
        .enum(NO_STATISTICS)
        .nullable()
        .describe(
          "Why there are none: the journey has no split (`no_split`) or no goal (`no_goal`), or its goal counts no event (`no_event`).",
        ),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const journey = await requireJourney(ctx, params.id);
    const counts = await readCounts(ctx.db, ctx.projectId, journey.id);
    const countOf = (stepId: string, did: string): number => counts.get(`${stepId}\0${did}`) ?? 0;
    const sumOf = (did: string): number =>
      [...counts].reduce((sum, [key, users]) => (key.endsWith(`\0${did}`) ? sum + users : sum), 0);
    const definition = readDefinition(journey.definition);
    const steps = (definition?.steps ?? []).map(({ id }) => ({
      stepId: id,
      here: countOf(id, "here"),
      ...(Object.fromEntries(SHOWN.map((did) => [did, countOf(id, did)])) as Record<
        (typeof SHOWN)[number],
        number
      >),
    }));
    const left = (by: string): number => countOf("", `left:${by}`);
    return {
      entered: countOf("", "entered"),
      moved: sumOf("moved"),
      // Also users who are still at a step that a change took away.
      inside: sumOf("here"),
      left: {
        finished: left("finished"),
        goal: left("goal"),
        event: left("event"),
        removed: left("removed"),
        ended: left("ended"),
      },
      steps,
      ...(definition === null
        ? { statistics: null, noStatistics: "no_split" as const }
        : await readArmStatistics(ctx.db, journey, definition, ctx.now)),
      arms: (definition === null ? [] : (splitOf(definition)?.arms ?? [])).map(({ name }) => ({
        name,
        entered: countOf("", `arm:${name}`),
      })),
    };
  },
);
