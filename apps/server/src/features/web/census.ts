import { Needs } from "../audience/language/engines/needs.pure.ts";
import { personOf } from "../content/template/public.ts";
import {
  type Bucket,
  type Census,
  type CensusQuestion,
  countsOf,
  drawVariant,
  isHeldOut,
  pagesOfUsers,
  tally,
} from "../deliveries/public.ts";
import { countBuckets, countDecided, type Reader, readUndecided } from "./census-store.ts";
import { compileCampaign, type FeedCampaign } from "./config.ts";
import { type RunningCampaign, readFeedCampaign } from "./config-store.ts";
import { contentFor } from "./decide.ts";
import { mayBeBlank } from "./personal.ts";

function bucketOf(campaign: FeedCampaign, reader: Reader): Bucket {
  const variant = drawVariant(campaign.variants, campaign.uuid, reader.userKey);
  if (variant === null || contentFor(variant, () => personOf(reader)) === null) return "no_text";
  return isHeldOut(campaign, reader.userKey) ? "held_out" : "will_receive";
}

/** Counts users one by one: only filling in a message shows whether a text is left of it. */
async function countEach(
  question: CensusQuestion,
  running: RunningCampaign,
  campaign: FeedCampaign,
): Promise<Map<Bucket, number>> {
  const decided = await countDecided(question, running);
  const buckets = tally(new Map(), decided);
  const pages = pagesOfUsers((after, limit) => readUndecided(question, running, after, limit));
  for await (const readers of pages)
    tally(
      buckets,
      readers.map((reader) => ({ bucket: bucketOf(campaign, reader), users: 1 })),
    );
  return buckets;
}

/** How many known users would get a web campaign when they come, on a page that it is for. */
export const webCensus: Census = async (question) => {
  const running = await readFeedCampaign(question.db, question.projectId, question.campaign.id);
  if (running === null) throw new Error("A web campaign that is not there.");
  const campaign = compileCampaign(running, new Needs(), new Set());
  const buckets = campaign.variants.some(({ message }) => mayBeBlank(message.content))
    ? await countEach(question, running, campaign)
    : tally(new Map(), await countBuckets(question, running));
  return countsOf(buckets, ["no_text"]);
};
