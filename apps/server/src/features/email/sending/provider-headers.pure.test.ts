import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { providerHeaders } from "./provider-headers.pure.ts";

describe("providerHeaders", () => {
  const ID = `del_${"A".repeat(43)}`;
  const expected = {
    smtp: {},
    ses: { "X-SES-MESSAGE-TAGS": `delivery=${ID}`, "X-Tidings-Delivery": ID },
    postmark: { "X-PM-Metadata-delivery": ID },
    sendgrid: { "X-SMTPAPI": `{"unique_args":{"delivery":"${ID}"}}` },
    mailgun: { "X-Mailgun-Variables": `{"delivery":"${ID}"}` },
  };
  for (const [provider, headers] of Object.entries(expected)) {
    it(`are those of ${provider}, and go into a header as they are`, () => {
      const made = Object.fromEntries(providerHeaders(provider as keyof typeof expected, ID));
      assert.deepEqual(made, headers);
      // RFC 5322, 2.1.1: lines of at most 998 characters, better 78; SES tags take letters, digits, _ and - only.
      for (const [name, value] of Object.entries(made)) assert.match(`${name}: ${value}`, /^[ -~]{1,100}$/);
    });
  }
});
