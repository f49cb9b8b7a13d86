import { createHmac } from "node:crypto";
import { type App, resource } from "../../../platform/runtime.ts";
import { isSameText } from "../../../platform/secrets/secrets.ts";

/** The secret with which the library signs its cookies. */
export const sessionSecret = (app: App): string =>
  app.secrets.derive("sessions of people").toString("base64");

/** The cookie of a session among those of a request. */
const SESSION_COOKIE = /(?:^|;\s*)((?:__Secure-)?tidings\.session_token=[^;]{1,1000})/;

export const sessionCookieIn = (cookies: string): string | null => SESSION_COOKIE.exec(cookies)?.[1] ?? null;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Answers the cookie of a session in its one spelling where this server has signed it, else null: forged ones end here, without the database.
 * Its value is `token.signature`, percent-encoded; the signature is the HMAC-SHA-256 of the token in base64.
 */
export type GenuineCookie = (cookie: string) => string | null;

export const genuineCookie = resource((app): GenuineCookie => {
  const secret = sessionSecret(app);
  return (cookie) => {
    const [name = "", ...rest] = cookie.split("=");
    const value = decoded(rest.join("=").trim());
    const dot = value.lastIndexOf(".");
    if (dot < 1) return null;
    const expected = createHmac("sha256", secret).update(value.slice(0, dot)).digest("base64");
    return isSameText(value.slice(dot + 1), expected) ? `${name}=${encodeURIComponent(value)}` : null;
  };
});
