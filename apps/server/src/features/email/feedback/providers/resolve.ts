import { type DeliveryKey, parseDeliveryId } from "../../../../domain/ids.ts";
import type { App } from "../../../../platform/runtime.ts";
import { linkSigner, TOKEN_FORM } from "../../sending/public.ts";
import type { SendReport } from "../report.ts";
import type { AddressReport } from "../stop-addresses.ts";
import type { ProviderReport } from "./fields.pure.ts";

/** The token of a Message-ID as this service makes them, here or on another server. */
const OURS = new RegExp(`^\\s*<?(${TOKEN_FORM})@`);

/**
 * The message that a report is about: by our field, which a provider may leave out, else by our Message-ID, which only this server can make.
 * `null`: it names no message of this service. `others`: a message of another server, whose address is not this server's matter.
 */
function findMessage(app: App, { delivery, messageId }: ProviderReport): DeliveryKey | "others" | null {
  const byField = parseDeliveryId(delivery ?? "");
  if (byField !== null) return byField;
  const [, token] = OURS.exec(messageId ?? "") ?? [];
  return token === undefined ? null : (app.get(linkSigner).read(token, "message") ?? "others");
}

/**
 * Reports by what they are about: a message, or an address alone. An address counts alone where it is gone or its owner complained, since
 * both are true of whatever is sent there. Unsubscribing is about one
 * sender: from a message that is not ours, it says nothing of ours.
 */
export function resolveReports(
  app: App,
  reports: readonly ProviderReport[],
  now: number,
): { ofMessages: SendReport[]; ofAddresses: AddressReport[] } {
  const ofMessages: SendReport[] = [];
  const ofAddresses: AddressReport[] = [];
  for (const report of reports) {
    const { event, stops, address } = report;
    const message = findMessage(app, report);
    const at = report.at ?? now;
    if (message === null) {
      if (address !== null && (stops === "bounced" || stops === "complained"))
        ofAddresses.push({ address, reason: stops, at });
    } else if (message !== "others") ofMessages.push({ ...message, event, stops, at });
  }
  return { ofMessages, ofAddresses };
}
