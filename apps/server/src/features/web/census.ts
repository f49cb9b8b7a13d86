import { Needs } from "../audience/language/engines/needs.pure.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { createGapTally, type GapCounts, missingFields } from "../deliveries/census/gaps.pure.ts";
import { bucketOf, countedGates, type ReasonOf, reasonsOf, stopOf } from "../deliveries/gates/list.ts";
import {
  type Bucket,
  CANDIDATE,
  type Census,
  type CensusMessages,
  type CensusQuestion,
  countDecided,
  countsOf,
  drawVariant,
  readGapCounts,
  tally,
} from "../deliveries/public.ts";
import { countWebBuckets, pagesOfUndecided, type Reader } from "./census-store.ts";
import { compileCampaign, type FeedCampaign } from "./config.ts";
import { type RunningCampaign, readFeedCampaign } from "./config-store.ts";
import { contentFor } from "./decide.ts";
import { webGates } from "./gates/web-gates.ts";
import { mayBeBlank } from "./personal.ts";

const COUNTED = countedGates(webGates);
const COUNTED_BESIDE_MESSAGE = COUNTED.filter(({ gate }) => gate !== "message");

type Counted = { buckets: Map<Bucket, number>; gaps: GapCounts };

/** Counts users one by one: only filling in a message shows whether a text is left of it. */
async function countEach(
  question: CensusQuestion & CensusMessages,
  running: RunningCampaign,
  campaign: FeedCampaign,
): Promise<Counted> {
  const decided = await countDecided(question, running.current);
  const buckets = tally(new Map(), decided);
  const gaps = createGapTally(question.gaps);
  const { current, variants, uuid } = campaign;
  const bucketOfReader = (reader: Reader): Bucket => {
    const { drawKey } = reader;
    const variant = drawVariant(variants, uuid, drawKey);
    const person = readTemplateUser(reader);
    const content = variant === null ? null : contentFor(variant, () => person);
    const facts = { current, drawKey, content, ...CANDIDATE };
    // Users who are left without a text count too: what is missing is why.
    if (variant !== null && stopOf(COUNTED_BESIDE_MESSAGE, facts) === null)
      gaps.add(variants.indexOf(variant), person);
    return bucketOf(COUNTED, facts);
  };
  for await (const readers of pagesOfUndecided(question, running))
    tally(
      buckets,
      readers.map((reader) => ({ bucket: bucketOfReader(reader), users: 1 })),
    );
  return { buckets, gaps: gaps.counts };
}

/** Counts users in one statement, where the message has a text for all of them. */
async function countAll(
  question: CensusQuestion & CensusMessages,
  running: RunningCampaign,
): Promise<Counted> {
  const rows = await countWebBuckets(question, running);
  const reached = rows.find(({ bucket }) => bucket === "will_receive");
  return { buckets: tally(new Map(), rows), gaps: readGapCounts(reached?.gaps ?? []) };
}

/**
 * How many known users would get a web campaign when they come, on a page that it is for; of one for visitors alone, how many visitors that are
 * known.
 */
export const webCensus: Census<ReasonOf<typeof webGates>> = async (question) => {
  const { variants } = question;
  const running = await readFeedCampaign(question.db, question.projectId, question.campaign.id);
  if (running === null) throw new Error("A web campaign that is not there.");
  // Contents were checked when they were written.
  const contents = variants.map((each) => ({ ...each, content: each.content as Record<string, unknown> }));
  const campaign = compileCampaign({ ...running, variants: contents }, new Needs(), new Set());
  const { buckets, gaps } = campaign.variants.some(({ message }) => mayBeBlank(message.content))
    ? await countEach(question, running, campaign)
    : await countAll(question, running);
  return { ...countsOf(buckets, reasonsOf(webGates)), missing: missingFields(question.gaps, gaps) };
};
