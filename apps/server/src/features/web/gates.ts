import { Needs } from "../audience/language/engines/needs.pure.ts";
import { compilePages } from "../campaigns/authoring/audience/pages.pure.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { listed, shortened } from "../deliveries/gates/words.pure.ts";
import {
  audienceGate,
  deliveryGate,
  drawVariant,
  type GateOf,
  type GateQuestion,
  type Gates,
  holdoutGate,
  openGates,
  servingGate,
  userGate,
  variantGate,
  withheldGate,
} from "../deliveries/public.ts";
import { compileCampaign, type FeedVariant } from "./config.ts";
import { readFeedCampaign } from "./config-store.ts";
import { contentFor } from "./decide.ts";
import { isOpenState } from "./rules.ts";

/** Why the web serves nothing; null where it serves. */
function pausedBecause({ serving: { serving } }: GateQuestion): string | null {
  if (serving === "ok") return null;
  return serving === "cap_reached"
    ? "The spend cap is reached."
    : "Nothing is served before billing is restored.";
}

function pageGate({ path }: GateQuestion, pages: string[] | null): GateOf<"page"> {
  const base = { gate: "page", path, pages } as const;
  if (pages === null) return { ...base, passes: true, note: "The campaign is for every page." };
  const meant = listed(pages);
  if (path === null)
    return { ...base, passes: null, note: `The campaign is for ${meant}. No page was named to compare.` };
  const page = shortened(path);
  return compilePages(pages)(path)
    ? { ...base, passes: true, note: `The campaign is for ${meant}, and ${page} is one of them.` }
    : { ...base, passes: false, note: `The campaign is for ${meant}, and ${page} is none of them.` };
}

function messageGate(
  { subject: { known }, externalId }: GateQuestion,
  variant: FeedVariant | null,
): GateOf<"message"> {
  const base = { gate: "message", reason: null } as const;
  if (variant === null)
    return { ...base, passes: null, note: "No variant gets users, so there is nothing to show." };
  const person = () =>
    readTemplateUser({ externalId, traits: known?.traits ?? {}, serverTraits: known?.serverTraits ?? null });
  return contentFor(variant, person) === null
    ? {
        ...base,
        passes: false,
        reason: "no_text",
        note: "No text is left once the personal fields are filled in.",
      }
    : { ...base, passes: true, note: "The message has a text for this user." };
}

/** The gates of the feed, in the order in which it asks them. */
export const webGates: Gates = async (question) => {
  const { db, projectId, campaign, subject } = question;
  const running = await readFeedCampaign(db, projectId, campaign.id);
  if (running === null) throw new Error("A web campaign that is not there.");
  const compiled = compileCampaign(running, new Needs(), new Set());
  const variant =
    subject.delivery === null
      ? drawVariant(compiled.variants, campaign.id, subject.userKey)
      : (compiled.variantById.get(subject.delivery.variantId) ?? null);
  return [
    ...openGates(question),
    servingGate(question, pausedBecause(question)),
    userGate(question, true),
    pageGate(question, running.pages),
    deliveryGate(question, isOpenState),
    withheldGate(question),
    await audienceGate(question, true),
    variantGate(question, variant?.id ?? null),
    messageGate(question, variant),
    holdoutGate(question, compiled),
  ];
};
