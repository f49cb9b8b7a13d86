import { z } from "zod";
import type { ReportEffect } from "../effects.pure.ts";

/** How a provider names a message, each as it came, and null where it does not. */
export type ReportedMessage = {
  /** Our delivery id, from a field that we gave the provider with the message. */
  delivery: string | null;
  /** The Message-ID, with or without its brackets. */
  messageId: string | null;
  /** The recipient. */
  address: string | null;
};

/** What a provider says of a message. `at` is epoch milliseconds, or null where none is given. */
export type ProviderReport = ReportedMessage & ReportEffect & { at: number | null };

export const looseText = z.string().nullish().catch(null);

/** An instant in ISO 8601, in epoch milliseconds. */
export const isoTime = looseText.transform((iso) => {
  const at = Date.parse(iso ?? "");
  return Number.isNaN(at) ? null : at;
});
/** An instant in seconds since 1970, with or without a fraction, in epoch milliseconds. */
export const unixTime = z
  .number()
  .nullish()
  .catch(null)
  .transform((seconds) => (seconds == null ? null : Math.round(seconds * 1_000)));

export type ReportedTexts = { [Name in keyof ReportedMessage]: string | null | undefined };

export const reportedMessage = ({ delivery, messageId, address }: ReportedTexts): ReportedMessage => ({
  delivery: delivery ?? null,
  messageId: messageId ?? null,
  address: address ?? null,
});

/** The report of a message; none where it has no effect. */
export const providerReport = (
  message: ReportedMessage,
  effect: ReportEffect | null,
  at: number | null | undefined,
): ProviderReport[] => (effect === null ? [] : [{ ...message, ...effect, at: at ?? null }]);

/** The value of a header among those of a message, whatever the case of its name. */
export const headerOf = (
  headers: readonly { name: string; value: string }[] | null | undefined,
  wanted: string,
): string | null => headers?.find(({ name }) => name.toLowerCase() === wanted)?.value ?? null;
