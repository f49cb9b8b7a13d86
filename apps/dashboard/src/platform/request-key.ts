const BYTES = 16;

/**
 * An Idempotency-Key: a request that is sent again under it has its effect once. Made with what browsers also have where a page is not
 * served over https.
 */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
