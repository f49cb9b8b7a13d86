import { guestGate, topicGate } from "../../../consent/choices/public.ts";
import { emailPausedBecause } from "../../../counting/usage/rules.ts";
import { audienceGate } from "../../../deliveries/gates/audience.ts";
import { channelGate } from "../../../deliveries/gates/channel.ts";
import { deliveryGate } from "../../../deliveries/gates/delivery.ts";
import { holdoutGate } from "../../../deliveries/gates/holdout.ts";
import { passGate } from "../../../deliveries/gates/pass.ts";
import { servingGate } from "../../../deliveries/gates/serving.ts";
import { statusGate } from "../../../deliveries/gates/status.ts";
import { userGate } from "../../../deliveries/gates/user.ts";
import { variantGate } from "../../../deliveries/gates/variant.ts";
import { visitorsGate } from "../../../deliveries/gates/visitors.ts";
import { windowGate } from "../../../deliveries/gates/window.ts";
import { withheldGate } from "../../../deliveries/gates/withheld.ts";
import { pressureGate, quietGate, timeGate } from "../../../timing/public.ts";
import { addressGate } from "./address.ts";
import { capGate } from "./cap.ts";
import { changedAddressGate, confirmationGate } from "./confirmation.ts";
import { suppressionGate } from "./suppression.ts";

/** The gates of email, in the order in which the sweep and then the sending ask them. */
export const emailGates = [
  statusGate,
  windowGate,
  userGate(false),
  visitorsGate,
  deliveryGate,
  withheldGate,
  passGate,
  audienceGate,
  changedAddressGate,
  addressGate,
  variantGate,
  suppressionGate,
  guestGate,
  topicGate,
  confirmationGate,
  holdoutGate,
  servingGate(emailPausedBecause),
  channelGate,
  timeGate,
  quietGate,
  pressureGate("email"),
  capGate,
] as const;
