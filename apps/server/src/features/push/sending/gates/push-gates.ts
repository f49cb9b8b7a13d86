import { topicGate } from "../../../consent/choices/public.ts";
import { pushPausedBecause } from "../../../counting/usage/rules.ts";
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
import { deviceGate } from "./device.ts";
import { pushMessageGate } from "./message.ts";

/** The gates of a test, which goes to the user and device that it names, if these can be sent it at all. */
export const pushTestGates = [pushMessageGate, deviceGate] as const;

/** The gates of push, in the order in which planning and then the sending ask them. */
export const pushGates = [
  statusGate,
  windowGate,
  userGate(false),
  visitorsGate,
  deliveryGate,
  withheldGate,
  passGate,
  audienceGate,
  variantGate,
  topicGate,
  pushMessageGate,
  deviceGate,
  holdoutGate,
  servingGate(pushPausedBecause),
  channelGate,
  timeGate,
  quietGate,
  pressureGate("push"),
] as const;
