import { FIRST_OCCASION } from "../../../domain/ids.ts";
import { ofUser, readTopicChoice } from "../../consent/choices/public.ts";
import { compilePush } from "../../content/push/payload.pure.ts";
import { explainer } from "../../deliveries/gates/question.ts";
import { drawVariant } from "../../deliveries/public.ts";
import { findTiming } from "../../timing/public.ts";
import { readCampaignCredentials } from "./credentials.ts";
import { readCampaignSpec } from "./definition-store.ts";
import { pushGates } from "./gates/push-gates.ts";
import { readDevices } from "./plan/plan-store.ts";
import { reachOf } from "./reach.ts";
import { barringOf } from "./refused.ts";
import { readWaiting } from "./waiting-store.ts";

/** What there is to find where no user, or nothing to send, is there. */
const NOTHING = {
  filled: { reason: "campaign_not_ready" },
  devices: { reason: "no_installation" },
  deviceCount: 0,
  installationIds: [],
  barring: null,
} as const;

/** Why a user gets a push campaign now, or does not. */
export const explainPush = explainer(pushGates, async (question) => {
  const { app, db, projectId, campaign, lane, userKey, drawKey, known, externalId, delivery } = question;
  const spec = await readCampaignSpec(db, projectId, campaign.id);
  if (spec === null) throw new Error("A push campaign that is not there.");
  const { settings, variants, current, topic } = spec;
  const chosen =
    topic === null ? null : await readTopicChoice(db, projectId, ofUser({ lane, userKey }), topic.id);
  const ofTopic = { topic, choice: chosen?.isIn ?? null, chosenAt: chosen?.chosenAt ?? null };
  const { appId } = settings;
  const drawn = delivery === null ? drawVariant(variants, campaign.id, drawKey) : { id: delivery.variantId };
  const when = await findTiming(question, "push", spec);
  const key = { lane, userKey, campaignId: campaign.id, occasion: FIRST_OCCASION };
  const waits = delivery === null ? { waiting: null, attempts: 0 } : await readWaiting(db, projectId, key);
  const base = { current, variant: drawn, appId, ...ofTopic, ...when, ...waits };
  const variant = variants.find(({ id }) => id === drawn?.id);
  if (known === null || variant === undefined) return { ...base, ...NOTHING, isSendable: false };
  const devices = await readDevices(db, projectId, { lane, userKey }, appId);
  const credentials = await readCampaignCredentials(app, db, projectId, appId);
  const person = { ...known, choice: ofTopic.choice, lane, userKey, drawKey, externalId, devices };
  const reach = reachOf(person, { compiled: compilePush(variant.content), settings }, credentials);
  const installationIds =
    "chosen" in reach.devices ? reach.devices.chosen.map(({ installationId }) => installationId) : [];
  const barring = barringOf(reach, credentials);
  return { ...base, ...reach, isSendable: true, deviceCount: devices.length, installationIds, barring };
});
