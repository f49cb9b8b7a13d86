/** The providers that report what became of mail, beside the mail server itself. */
export const PROVIDERS = ["ses", "postmark", "sendgrid", "mailgun"] as const;
export type Provider = (typeof PROVIDERS)[number];

/**
 * Headers that make a provider name our delivery (`del_…`) in its reports; none for a plain mail server. SES needs both: it publishes
 * tags only through a configuration set, and headers only where an identity's notifications are set to include them.
 */
export function providerHeaders(
  provider: Provider | "smtp",
  deliveryId: string,
): readonly (readonly [name: string, value: string])[] {
  switch (provider) {
    case "ses":
      return [
        ["X-SES-MESSAGE-TAGS", `delivery=${deliveryId}`],
        ["X-Tidings-Delivery", deliveryId],
      ];
    case "postmark":
      return [["X-PM-Metadata-delivery", deliveryId]];
    case "sendgrid":
      return [["X-SMTPAPI", JSON.stringify({ unique_args: { delivery: deliveryId } })]];
    case "mailgun":
      return [["X-Mailgun-Variables", JSON.stringify({ delivery: deliveryId })]];
    case "smtp":
      return [];
  }
}
