import { Needs } from "../audience/language/engines/needs.pure.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { explainer } from "../deliveries/gates/question.ts";
import { drawVariant } from "../deliveries/public.ts";
import { compileCampaign } from "./config.ts";
import { readFeedCampaign } from "./config-store.ts";
import { contentFor } from "./decide.ts";
import { webGates } from "./gates/web-gates.ts";

/** Why a user gets a web campaign now, or does not. */
export const explainWeb = explainer(webGates, async (question) => {
  const { db, projectId, campaign, delivery, known, externalId, drawKey, path } = question;
  const running = await readFeedCampaign(db, projectId, campaign.id);
  if (running === null) throw new Error("A web campaign that is not there.");
  const compiled = compileCampaign(running, new Needs(), new Set());
  const variant =
    delivery === null
      ? drawVariant(compiled.variants, campaign.id, drawKey)
      : (compiled.variantById.get(delivery.variantId) ?? null);
  const { traits, serverTraits } = known ?? { traits: {}, serverTraits: null };
  const person = () => readTemplateUser({ externalId, traits, serverTraits });
  return {
    current: running.current,
    variant,
    content: variant === null ? null : contentFor(variant, person),
    pages: running.pages,
    isOnPage: path === null || compiled.onPage(path),
  };
});
