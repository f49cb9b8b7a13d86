import { createHmac, randomBytes } from "node:crypto";
import { type App, resource } from "../../../platform/runtime.ts";
import { isSameText } from "../../../platform/secrets/secrets.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { SIGN_IN_PATH } from "./identity.ts";
import { personOrigin } from "./origin.ts";

/**
 * A browser that has signed in to an account keeps a cookie that says so, signed by this server and checked without the database. Its tries
 * are counted apart from those of strangers, who therefore cannot lock its owner out. It does not sign in.
 */
export type KnownBrowsers = {
  /** A digest of an account, which tells nothing of its address to who has not the key: for budgets, cookies and the log. */
  accountOf(email: string): string;
  /** The id of the browser that these cookies make known for an account; null for a stranger's. */
  idIn(cookies: string, account: string): string | null;
  /** The cookie that makes a browser known from now on. */
  cookieFor(account: string): string;
};

/** As long as browsers keep a cookie. */
const KEPT_SECONDS = (400 * DAY_MS) / SECOND_MS;
/** Characters of a digest: 132 bits. */
const DIGEST = 22;
/** Characters of it in the cookie's name: a browser of several people keeps one for each. */
const NAMED = 8;

export const knownBrowsers = resource((app: App): KnownBrowsers => {
  const key = app.secrets.derive("browsers that signed in");
  const digest = (text: string): string => createHmac("sha256", key).update(text).digest("base64url");
  const signed = (account: string, id: string): string => `${id}.${digest(`browser ${account} ${id}`)}`;
  const isSecure = (): boolean => personOrigin(app.publicUrl(), app.config).startsWith("https:");
  const nameFor = (account: string): string =>
    `${isSecure() ? "__Secure-" : ""}tidings.browser_${account.slice(0, NAMED)}`;
  return {
    accountOf: (email) => digest(`account ${email.trim().toLowerCase()}`).slice(0, DIGEST),
    idIn(cookies, account) {
      const start = `${nameFor(account)}=`;
      const value = cookies
        .split(";")
        .map((each) => each.trim())
        .find((each) => each.startsWith(start))
        ?.slice(start.length);
      const [id = ""] = value?.split(".") ?? [];
      return value !== undefined && isSameText(value, signed(account, id)) ? id : null;
    },
    cookieFor(account) {
      const value = signed(account, randomBytes(16).toString("base64url"));
      const lasting = `Max-Age=${KEPT_SECONDS}; Path=${SIGN_IN_PATH}; HttpOnly; SameSite=Strict`;
      return `${nameFor(account)}=${value}; ${lasting}${isSecure() ? "; Secure" : ""}`;
    },
  };
});
