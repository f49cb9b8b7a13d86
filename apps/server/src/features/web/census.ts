import { Needs } from "../audience/language/engines/needs.pure.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { createGapTally, type GapCounts, missingFields } from "../deliveries/census/gaps.pure.ts";
import {
  type Bucket,
  type Census,
  type CensusMessages,
  type CensusQuestion,
  countsOf,
  drawVariant,
  isHeldOut,
  readGapCounts,
  tally,
} from "../deliveries/public.ts";
import { countDecided, countWebBuckets, pagesOfUndecided, type Reader } from "./census-store.ts";
import { compileCampaign, type FeedCampaign } from "./config.ts";
import { type RunningCampaign, readFeedCampaign } from "./config-store.ts";
import { contentFor } from "./decide.ts";
import { mayBeBlank } from "./personal.ts";

type Counted = { buckets: Map<Bucket, number>; gaps: GapCounts };

/** Counts users one by one: only filling in a message shows whether a text is left of it. */
async function countEach(
  question: CensusQuestion & CensusMessages,
  running: RunningCampaign,
  campaign: FeedCampaign,
): Promise<Counted> {
  const decided = await countDecided(question, running);
  const buckets = tally(new Map(), decided);
  const gaps = createGapTally(question.gaps);
  const bucketOf = (reader: Reader): Bucket => {
    const heldOut = isHeldOut(campaign, reader.userKey);
    const variant = drawVariant(campaign.variants, campaign.uuid, reader.userKey);
    const person = readTemplateUser(reader);
    // Also who is left without a text counts: what is missing is why.
    if (variant !== null && !heldOut) gaps.add(campaign.variants.indexOf(variant), person);
    if (variant === null || contentFor(variant, () => person) === null) return "no_text";
    return heldOut ? "held_out" : "will_receive";
  };
  for await (const readers of pagesOfUndecided(question, running))
    tally(
      buckets,
      readers.map((reader) => ({ bucket: bucketOf(reader), users: 1 })),
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

/** How many known users would get a web campaign when they come, on a page that it is for. */
export const webCensus: Census = async (question) => {
  const { variants } = question;
  const running = await readFeedCampaign(question.db, question.projectId, question.campaign.id);
  if (running === null) throw new Error("A web campaign that is not there.");
  // Contents were checked when they were written.
  const contents = variants.map((each) => ({ ...each, content: each.content as Record<string, unknown> }));
  const campaign = compileCampaign({ ...running, variants: contents }, new Needs(), new Set());
  const { buckets, gaps } = campaign.variants.some(({ message }) => mayBeBlank(message.content))
    ? await countEach(question, running, campaign)
    : await countAll(question, running);
  return { ...countsOf(buckets, ["no_text"]), missing: missingFields(question.gaps, gaps) };
};
