import { setImmediate } from "node:timers/promises";
import { uuidFor } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { hostsOf } from "../../../campaigns/authoring/message/links.pure.ts";
import { listVariants } from "../../../campaigns/authoring/public.ts";
import type { Channel } from "../../../campaigns/authoring/schema.ts";
import { countHere, type JourneyChange } from "../../../journeys/authoring/public.ts";
import { hostsForAgents } from "../limits/links.ts";
import { MAX_CHANGES, type ProposalReview } from "../schema.ts";
import { mutationOf } from "./open-proposals.ts";
import type { ProposalRow } from "./proposal-store.ts";

type Within = { db: Db; projectId: string; app?: { publicUrl(): string } };
type JourneyReview = NonNullable<ProposalReview["journey"]>;

/** The journey of a proposal before and after: only what `journeyChange` has read is stored. */
export const changeOf = ({ journey }: Pick<ProposalRow, "journey">): JourneyChange | null =>
  journey as JourneyChange | null;

/** To which hosts an agent may link in a journey by itself: as in a campaign, with the messages of all of its steps. */
async function hostsOfJourney(
  within: Within,
  { before, after }: JourneyChange,
): Promise<(host: string) => boolean> {
  const messages = new Map<Channel, { content: unknown }[]>();
  for (const step of after) if (step.kind === "send") messages.set(step.channel, []);
  for (const step of before) {
    if (step.kind !== "send") continue;
    const variants = await listVariants(within.db, within.projectId, uuidFor("cmp", step.campaignId));
    messages.set(step.channel, [...(messages.get(step.channel) ?? []), ...variants]);
  }
  const known: ((host: string) => boolean)[] = [];
  for (const [channel, contents] of messages) known.push(await hostsForAgents(within, channel, contents));
  return (host) => known.some((isKnown) => isKnown(host));
}

/** Where links of the messages lead that a change adds, to hosts that the journey has not used. */
async function newHostsOf(within: Within, change: JourneyChange): Promise<JourneyReview["newHosts"]> {
  const isKnown = await hostsOfJourney(within, change);
  const found: JourneyReview["newHosts"] = [];
  for (const step of change.after) {
    if (step.kind !== "send") continue;
    for (const { name, content } of step.added?.variants ?? []) {
      await setImmediate();
      const links = hostsOf(content, step.channel).filter(({ host }) => !isKnown(host));
      found.push(...links.map((link) => ({ stepId: step.id, variant: name, ...link })));
    }
  }
  return found.slice(0, MAX_CHANGES);
}

/** What a person has to see of a journey whose steps would change; null where a proposal is about none. */
export async function journeyReviewOf(within: Within, proposal: ProposalRow): Promise<JourneyReview | null> {
  const change = changeOf(proposal);
  const mutation = mutationOf(proposal);
  if (change === null || mutation.type !== "journey") return null;
  const here = await countHere(within.db, within.projectId, uuidFor("jrn", change.id));
  const { moves = {} } = mutation;
  return {
    ...change,
    here: [...here]
      .slice(0, MAX_CHANGES)
      .map(([stepId, users]) => ({ stepId, users, to: moves[stepId] ?? null })),
    newHosts: await newHostsOf(within, change),
  };
}
