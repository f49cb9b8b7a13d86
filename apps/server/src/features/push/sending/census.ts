import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { isBehind } from "../../campaigns/authoring/public.ts";
import type { PushContent } from "../../content/push/message.pure.ts";
import { type CompiledPush, compilePush } from "../../content/push/payload.pure.ts";
import { readTemplateUser } from "../../content/template/public.ts";
import { ZONE_TRAIT } from "../../content/template/template.pure.ts";
import { createGapTally, type GapCounts, missingFields } from "../../deliveries/census/gaps.pure.ts";
import { bucketOf, countedGates, type ReasonOf, reasonsOf, stopOf } from "../../deliveries/gates/list.ts";
import {
  type Bucket,
  CANDIDATE,
  type Census,
  type CensusMessages,
  type CensusQuestion,
  countDecided,
  countsOf,
  drawVariant,
  readPage,
  tally,
} from "../../deliveries/public.ts";
import type { Cursor } from "../../deliveries/rules.ts";
import { type LaterCounter, laterCounter } from "../../timing/public.ts";
import { Installation } from "../../users/devices/schema.ts";
import {
  countPushBuckets,
  countPushReaders,
  type DeviceKind,
  listDeviceKinds,
  listPressed,
  type RankedKinds,
} from "./census-store.ts";
import { readCampaignCredentials, type Usable } from "./credentials.ts";
import { type CampaignSpec, readCampaignSpec } from "./definition-store.ts";
import { asksNothing, deviceFault, NEARNESS } from "./gates/devices.pure.ts";
import { pushGates } from "./gates/push-gates.ts";
import { findCandidates, type PushCandidate } from "./plan/plan-store.ts";
import { reachOf } from "./reach.ts";
import { barringOf } from "./refused.ts";

const COUNTED = countedGates(pushGates);
const COUNTED_BESIDE_MESSAGE = COUNTED.filter(({ gate }) => gate !== "message");

type Contents = ReadonlyMap<string, CompiledPush>;

const { platform, environment, permission } = Installation.shape;
const NOTHING = { actions: [], channels: [], richImages: false };

/** Every kind of device there can be, but for what its app can show. */
const EVERY_KIND: readonly DeviceKind[] = platform.options.flatMap((onPlatform) =>
  environment.options.flatMap((inEnvironment) =>
    permission.options.flatMap((permitted) =>
      [true, false].flatMap((hasToken) =>
        [true, false].map((consent) => ({
          platform: onPlatform,
          environment: inEnvironment,
          permission: permitted,
          hasToken,
          consent,
          capabilities: NOTHING,
        })),
      ),
    ),
  ),
);

/** More kinds than this are not sent to PostgreSQL: devices report what they can show, and may report anything. */
const MAX_KINDS = 2_000;

/**
 * The kinds of devices with how far a push of each variant gets on them, by the rule of planning; null where there are too many kinds.
 */
async function rankKinds(
  { db, projectId }: CensusQuestion,
  spec: CampaignSpec,
  credentials: Usable,
): Promise<RankedKinds | null> {
  const byCapabilities = !spec.variants.every(({ content }) => asksNothing(content));
  const kinds = byCapabilities
    ? await listDeviceKinds(db, projectId, spec.settings, MAX_KINDS + 1)
    : EVERY_KIND;
  if (kinds.length > MAX_KINDS) return null;
  const ranked = kinds.map((kind) => ({
    ...kind,
    ranks: spec.variants.map(({ content }) => {
      const fault = deviceFault(kind, content, credentials.has(kind));
      return fault === null ? NEARNESS.length : NEARNESS.indexOf(fault);
    }),
  }));
  return { kinds: ranked, byCapabilities };
}

/** Adds users who would be reached to those who would be later. */
async function addLater(
  question: CensusQuestion,
  later: LaterCounter,
  reached: readonly PushCandidate[],
): Promise<void> {
  const { pressing } = later;
  const pressed =
    pressing.limits.length === 0 || reached.length === 0
      ? new Set<string>()
      : await listPressed(question, pressing, reached);
  later.add(
    reached.map(({ traits, userKey }) => {
      const zone = traits[ZONE_TRAIT];
      return { zone: typeof zone === "string" ? zone : null, isPressed: pressed.has(userKey), users: 1 };
    }),
  );
}

/** Counts users one by one: only filling in a message shows whether it can be written for a user. */
async function countEach(
  question: CensusQuestion & CensusMessages,
  spec: CampaignSpec,
  contents: Contents,
  credentials: Usable,
  later: LaterCounter | null,
): Promise<{ buckets: Map<Bucket, number>; gaps: GapCounts }> {
  const { db, now: evaluatedAt, campaign } = question;
  const decided = await countDecided(question, spec.current);
  const buckets = tally(new Map(), decided);
  const gaps = createGapTally(question.gaps);
  const { settings } = spec;
  const bucketOfCandidate = (candidate: PushCandidate): Bucket => {
    const { drawKey } = candidate;
    const variant = drawVariant(spec.variants, spec.campaignId, drawKey);
    const compiled = contents.get(variant?.id ?? "");
    if (variant === null || compiled === undefined) throw new Error("A variant that is not there.");
    const reach = reachOf(candidate, { compiled, settings }, credentials);
    const { filled } = reach;
    const barring = barringOf(reach, credentials);
    const { current, topic } = spec;
    const facts = { ...CANDIDATE, ...reach, barring, current, topic, choice: candidate.choice, drawKey };
    // Users who lack nothing but a trait count: that trait is why there is no push.
    const mayLackTrait = "content" in filled || filled.reason === "trait_missing";
    if (mayLackTrait && stopOf(COUNTED_BESIDE_MESSAGE, facts) === null)
      gaps.add(spec.variants.indexOf(variant), readTemplateUser(candidate));
    return bucketOf(COUNTED, facts);
  };
  // An audience that cannot be read matches no user; the answer has a warning of it.
  if (readStored(campaign.audience).kind === "invalid") return { buckets, gaps: gaps.counts };
  let after: Cursor = null;
  do {
    const page = await readPage(db, question.projectId, campaign.audience, { after, evaluatedAt });
    const found = await findCandidates(db, { ...spec, which: "undelivered" }, page);
    const coming = found.filter((each) => !isBehind(campaign.pass, each));
    const judged = coming.map((each) => ({ candidate: each, bucket: bucketOfCandidate(each), users: 1 }));
    tally(buckets, judged);
    if (later !== null)
      await addLater(
        question,
        later,
        judged.flatMap(({ candidate, bucket }) => (bucket === "will_receive" ? [candidate] : [])),
      );
    after = page.range.until;
  } while (after !== null);
  return { buckets, gaps: gaps.counts };
}

/** How many users would get a push campaign if it ran now. */
export const pushCensus: Census<ReasonOf<typeof pushGates>> = async (question) => {
  const { app, db, projectId, campaign, variants } = question;
  const stored = await readCampaignSpec(db, projectId, campaign.id);
  if (stored === null) throw new Error("A push campaign that is not there.");
  // Contents were checked when they were written.
  const spec = {
    ...stored,
    variants: variants.map((each) => ({ ...each, content: each.content as PushContent })),
  };
  const credentials = await readCampaignCredentials(app, db, projectId, spec.settings.appId);
  const contents = new Map(spec.variants.map(({ id, content }) => [id, compilePush(content)]));
  const isStatic = [...contents.values()].every((content) => content.isStatic);
  // Which devices are chosen decides whether a user waits for a barred credential, and kinds of devices do not show that.
  const isBarred = credentials.all.some((credential) => credential.isBarred);
  const kinds = isStatic && !isBarred ? await rankKinds(question, spec, credentials) : null;
  const later = await laterCounter(question, "push", spec);
  const { buckets, gaps } =
    kinds === null
      ? await countEach(question, spec, contents, credentials, later)
      : { buckets: tally(new Map(), await countPushBuckets(question, spec, kinds)), gaps: [] };
  if (kinds !== null) later?.add(await countPushReaders(question, spec, kinds, later.pressing));
  const counts = countsOf(buckets, reasonsOf(pushGates));
  return { ...counts, later: later?.counts() ?? counts.later, missing: missingFields(question.gaps, gaps) };
};
