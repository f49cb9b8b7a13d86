import { deliveryId, FIRST_OCCASION } from "../../domain/ids.ts";
import { isVisitorId } from "../../domain/visitors.pure.ts";
import type { UserFacts } from "../audience/language/engines/compile.pure.ts";
import type { CurrentEpoch } from "../campaigns/authoring/public.ts";
import { isMet } from "../campaigns/authoring/rules.ts";
import { readTemplateUser } from "../content/template/public.ts";
import type { TemplateUser } from "../content/template/template.pure.ts";
import { decisionOf, type FactsAt, gatesAt, type Judge } from "../deliveries/gates/list.ts";
import { drawKeyOf, drawVariant } from "../deliveries/public.ts";
import type { FeedCampaign, FeedConfig, FeedVariant } from "./config.ts";
import type { FeedFacts, FeedReader, NewDelivery } from "./feed-store.ts";
import { webGates } from "./gates/web-gates.ts";
import type { InAppMessage } from "./schema.ts";

/** A request for a user's messages. `path` is normalized; null asks for the messages of every page. `now` is epoch milliseconds. */
export type FeedQuery = { user: FeedReader; externalId: string; path: string | null; now: number };

type Served = {
  campaignUuid: string;
  occasion: number;
  variant: FeedVariant;
  content: InAppMessage["content"];
};

/** What to serve, and the deliveries to make or withhold first: those that the user does not have yet. */
export type FeedDecision = { served: Served[]; planned: NewDelivery[] };

/** The variant's content for a user; null where no text is left, and the campaign is then not served. */
export const contentFor = (
  { message, fill }: FeedVariant,
  person: () => TemplateUser,
): InAppMessage["content"] | null => (fill === null ? message.content : fill(person()));

type Facts = FactsAt<typeof webGates, "plan" | "feed">;

/** Stands in the places that a list does not fill. */
const PASSED: Judge<Facts> = { gate: "", reasons: [], passes: () => true };

/**
 * The same as `stopOf`, for a list of at most twelve gates. Every request asks them of every running campaign: with a place for each gate the
 * engine compiles the gates into the function, and deciding takes half the time that a loop takes.
 */
function stopFinder(gates: readonly Judge<Facts>[]): (facts: Facts) => Judge<Facts> | null {
  const [a = PASSED, b = PASSED, c = PASSED, d = PASSED, e = PASSED, f = PASSED, ...more] = gates;
  const [g = PASSED, h = PASSED, i = PASSED, j = PASSED, k = PASSED, l = PASSED, ...rest] = more;
  if (rest.length > 0) throw new Error("The feed has more gates than places for them.");
  return (facts) => {
    if (!a.passes(facts)) return a;
    if (!b.passes(facts)) return b;
    if (!c.passes(facts)) return c;
    if (!d.passes(facts)) return d;
    if (!e.passes(facts)) return e;
    if (!f.passes(facts)) return f;
    if (!g.passes(facts)) return g;
    if (!h.passes(facts)) return h;
    if (!i.passes(facts)) return i;
    if (!j.passes(facts)) return j;
    if (!k.passes(facts)) return k;
    return l.passes(facts) ? null : l;
  };
}

const stopBeforeDelivery = stopFinder(gatesAt(webGates, "plan", "feed"));
const stopWithDelivery = stopFinder(gatesAt(webGates, "feed"));

const OPEN = { isOpen: true };
const OVER = { isOpen: false };

/** The user of a request: what decides about every campaign. */
type Viewer = Pick<FeedQuery, "path" | "now"> & {
  drawKey: string;
  isVisitor: boolean;
  facts: UserFacts;
  person(): TemplateUser;
};

/** One campaign for the user of a request. What costs time is found out when a gate asks for it, and once. */
class Candidate implements Facts {
  readonly campaign: FeedCampaign;
  readonly current: CurrentEpoch;
  readonly now: number;
  readonly drawKey: string;
  readonly isMet: boolean;
  readonly delivery: { isOpen: boolean } | null;
  /** A withheld delivery is read as one that is over. */
  readonly withheldAt: null = null;
  private readonly viewer: Viewer;
  private readonly variantId: string | null | undefined;
  private drawn: FeedVariant | null | undefined = undefined;
  private filled: InAppMessage["content"] | null | undefined = undefined;

  /** @param variantId of a delivery that is still to be shown, null for one that is over, undefined for none */
  constructor(campaign: FeedCampaign, viewer: Viewer, variantId: string | null | undefined) {
    this.campaign = campaign;
    this.current = campaign.current;
    this.now = viewer.now;
    this.drawKey = viewer.drawKey;
    this.isMet = isMet(campaign.visitors, viewer.isVisitor);
    this.delivery = variantId === undefined ? null : variantId === null ? OVER : OPEN;
    this.viewer = viewer;
    this.variantId = variantId;
  }

  get isOnPage(): boolean {
    const { path } = this.viewer;
    return path === null || this.campaign.onPage(path);
  }

  matches(): boolean {
    return this.campaign.matches(this.viewer.facts, this.now);
  }

  get variant(): FeedVariant | null {
    if (this.drawn !== undefined) return this.drawn;
    const { variants, variantById, uuid } = this.campaign;
    this.drawn =
      typeof this.variantId === "string"
        ? (variantById.get(this.variantId) ?? null)
        : drawVariant(variants, uuid, this.drawKey);
    return this.drawn;
  }

  get content(): InAppMessage["content"] | null {
    if (this.filled === undefined)
      this.filled = this.variant === null ? null : contentFor(this.variant, this.viewer.person);
    return this.filled;
  }
}

/**
 * Decides from a user's facts, by the gates of the web. An open delivery is served again as long as its campaign runs on this page. A campaign
 * without a delivery is served, with a variant that depends on user and campaign alone, unless its delivery is withheld.
 * @param occurrences how often each need of the configuration was met. Where they were not read and a condition needed them, the
 * result must not be used
 */
export function decideFeed(
  config: FeedConfig,
  facts: FeedFacts,
  occurrences: UserFacts["occurrences"],
  question: FeedQuery,
): FeedDecision {
  const { user, externalId, path, now } = question;
  const { traits, serverTraits, firstSeenAt, lastSeenAt, counts, deliveries, steps } = facts;
  const known = { externalId, traits: traits ?? {}, serverTraits };
  let person: TemplateUser | null = null;
  const viewer: Viewer = {
    drawKey: drawKeyOf({ userKey: user.userKey, drawnAs: facts.drawnAs }),
    isVisitor: isVisitorId(externalId),
    path,
    now,
    facts: {
      externalId,
      traits: known.traits,
      firstSeenAt,
      lastSeenAt,
      eventCounts: counts ?? {},
      occurrences,
    },
    person: () => (person ??= readTemplateUser(known)),
  };
  /** The viewer of the message of a step, whose texts may name the event that let them into the journey. */
  const viewerAfter = (event: Record<string, unknown> | null): Viewer =>
    event === null ? viewer : { ...viewer, person: () => readTemplateUser({ ...known, event }) };
  const served: Served[] = [];
  const planned: NewDelivery[] = [];
  for (const campaign of config.campaigns) {
    const { uuid, isStep } = campaign;
    const step = isStep ? steps?.[uuid] : undefined;
    // A journey decides who has the message of a step, not the feed.
    if (isStep && step === undefined) continue;
    const occasion = step?.occasion ?? FIRST_OCCASION;
    const candidate =
      step === undefined
        ? new Candidate(campaign, viewer, deliveries?.[uuid])
        : new Candidate(campaign, viewerAfter(step.event), step.variantId);
    const isNew = candidate.delivery === null;
    const stop = isNew ? stopBeforeDelivery(candidate) : stopWithDelivery(candidate);
    if (stop !== null && !stop.withholds) continue;
    const { variant, content } = candidate;
    if (variant === null || content === null) continue;
    if (stop === null) served.push({ campaignUuid: uuid, occasion, variant, content });
    const decision = decisionOf(stop, variant, campaign.current);
    if (isNew) planned.push({ ...user, externalId, campaignId: uuid, occasion, ...decision, ts: now });
  }
  return { served, planned };
}

/** Served messages as the API shows them: modals first, else in the order of the campaigns, newest first. */
export function present(served: readonly Served[], userKey: string): InAppMessage[] {
  const inOrder = [
    ...served.filter(({ variant }) => variant.isModal),
    ...served.filter(({ variant }) => !variant.isModal),
  ];
  return inOrder.map(({ campaignUuid, occasion, variant, content }) => ({
    deliveryId: deliveryId({ userKey, campaignId: campaignUuid, occasion }),
    ...variant.message,
    content,
  }));
}
