/** A new id: 20 characters of base 32. `crypto.randomUUID` is missing on pages served without TLS. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => (byte & 31).toString(32)).join("");
