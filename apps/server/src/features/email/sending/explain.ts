import { FIRST_OCCASION } from "../../../domain/ids.ts";
import { HOUR_MS } from "../../../platform/time/clock.ts";
import { readAllocation } from "../../campaigns/authoring/public.ts";
import {
  isGuestId,
  ofAddress,
  readHadAsGuest,
  readHasUser,
  readTopicChoice,
} from "../../consent/choices/public.ts";
import { explainer } from "../../deliveries/gates/question.ts";
import { drawVariant } from "../../deliveries/public.ts";
import { findTiming } from "../../timing/public.ts";
import { addressRef, readAddress, readStopper } from "../addresses/public.ts";
import { parseAddress } from "../addresses/rules.ts";
import { wouldConfirm } from "./census.ts";
import { emailGates } from "./gates/email-gates.ts";
import { readSend } from "./progress-store.ts";

/** Why a user gets an email campaign now, or does not. */
export const explainEmail = explainer(emailGates, async (question) => {
  const { db, projectId, now, settings, campaign, lane, userKey, drawKey, known, delivery } = question;
  const allocation = await readAllocation(db, projectId, campaign.id);
  if (allocation === null) throw new Error("An email campaign that is not there.");
  const key = { lane, userKey, campaignId: campaign.id, occasion: FIRST_OCCASION };
  const { isUnanswered, attempts, waiting } = await readSend(db, projectId, key);
  const email = known?.traits.email;
  const to = parseAddress(email);
  const ref = to === null ? null : addressRef(projectId, to.address);
  const since = now - settings["email.capHours"] * HOUR_MS;
  const address = ref === null ? null : await readAddress(db, projectId, ref, since);
  const isSuppressed = address?.isSuppressed === true;
  const { topic } = allocation;
  const chosen =
    ref === null || topic === null ? null : await readTopicChoice(db, projectId, ofAddress(ref), topic.id);
  const isGuest = isGuestId(question.externalId);
  const hasTwin =
    topic !== null &&
    to !== null &&
    (isGuest
      ? await readHasUser(db, projectId, to.address)
      : delivery === null && ref !== null && (await readHadAsGuest(db, projectId, ref, campaign.id)));
  const perHour = settings["identity.newAddressesPerHour"];
  const addressGivenAt = known?.addressGivenAt ?? null;
  const isCounted = to !== null && addressGivenAt !== null && delivery === null;
  return {
    delivery: delivery === null ? null : { ...delivery, isOpen: delivery.isOpen && !isUnanswered },
    current: allocation.current,
    variant:
      delivery === null ? drawVariant(allocation.variants, campaign.id, drawKey) : { id: delivery.variantId },
    email,
    to,
    address,
    topic,
    isGuest,
    hasTwin,
    choice: chosen?.isIn ?? null,
    chosenAt: chosen?.chosenAt ?? null,
    isSuppressed,
    suppressor: ref !== null && isSuppressed ? await readStopper(db, projectId, ref) : null,
    addressGivenAt,
    wouldConfirm:
      isCounted &&
      (await wouldConfirm(question, allocation, { lane, userKey }, { at: addressGivenAt, perHour })),
    acceptedAt: address?.acceptedAt ?? [],
    onTheWay: address?.onTheWay ?? 0,
    ...(await findTiming(question, "email", allocation)),
    attempts,
    waiting,
  };
});
