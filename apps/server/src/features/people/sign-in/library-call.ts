import { isOurOrigin } from "../../../platform/http/admission/same-origin.ts";
import type { PublicRequest } from "../../../platform/http/public/public-route.ts";
import type { App } from "../../../platform/runtime.ts";
import { decodeUtf8 } from "../../../platform/text/text.ts";
import { SIGN_IN_PATH } from "./identity.ts";

/** Asks the library, with a body in place of that of the request. */
export type AskLibrary = (body: Buffer) => Promise<Response>;

/** The fields of a body; null where it is no object of JSON. */
export function bodyFields(body: Buffer): Record<string, unknown> | null {
  const decoded = decodeUtf8(body);
  if ("fault" in decoded) return null;
  try {
    const given: unknown = JSON.parse(decoded.text);
    return typeof given === "object" && given !== null && !Array.isArray(given) ? { ...given } : null;
  } catch {
    return null;
  }
}

/** The request for the library: at the declared path, however the caller has spelled it. */
export function requestFor(request: PublicRequest, app: App, path: string): Request {
  const { method, url, headers, body } = request;
  const { origin: given } = headers;
  // A page of this server asks under the address that its browser knows, which a proxy may have changed.
  const isOurs = given !== undefined && isOurOrigin(request, app.publicUrl());
  const origin = isOurs ? given : app.publicUrl();
  const passed = new Headers({ "content-type": "application/json", origin });
  for (const name of ["cookie", "user-agent"] as const) {
    const value = headers[name];
    if (value !== undefined) passed.set(name, value);
  }
  const init = { method, headers: passed };
  const [, query = ""] = url.split("?");
  const address = new URL(`${SIGN_IN_PATH}${path}?${query}`, origin);
  return new Request(address, method === "POST" ? { ...init, body: new Uint8Array(body) } : init);
}

/** The library's refusal as one of ours. */
function refusalIn(text: string): string {
  const message = bodyFields(Buffer.from(text))?.message;
  return JSON.stringify({ error: typeof message === "string" ? message : "Could not sign in" });
}

/** The library's answer as ours: without the secrets of sessions, which are in cookies that no script of a page can read. */
export async function readLibraryBody(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) return refusalIn(text);
  return JSON.stringify(JSON.parse(text, (key, value: unknown) => (key === "token" ? undefined : value)));
}
