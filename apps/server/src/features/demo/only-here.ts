import { ApiError } from "../../platform/http/errors.ts";
import type { PublicRequest } from "../../platform/http/public-route.ts";
import type { App } from "../../platform/runtime.ts";

const LOCALHOST = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/** Headers that proxies add. Behind a proxy on this computer, a visitor may be anywhere although connection and host are local. */
const FORWARDED = [
  ...["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-server"],
  ...["x-real-ip", "cf-connecting-ip", "true-client-ip", "x-client-ip"],
];

/**
 * Lets in requests from this computer alone. The host must be localhost, not just resolve to it: otherwise a page of another site could
 * let its own name resolve to this server (DNS rebinding). `what` names in the log what a proxy is refused.
 * @throws ApiError not_found for every other request
 */
export function assertOnlyHere({ config, log }: App, { headers }: PublicRequest, what: string): void {
  const proxied = FORWARDED.find((name) => headers[name] !== undefined);
  if (config.isPrivate && proxied !== undefined)
    log.warn({ header: proxied }, `${what} is not shown through a proxy; set PUBLIC_URL to its address`);
  if (!config.isPrivate || proxied !== undefined || !LOCALHOST.test(headers.host ?? ""))
    throw new ApiError("not_found");
}

/**
 * As `assertOnlyHere`, for what changes something: a page of another site may not press a button here. Browsers say in Origin which page
 * sends a POST; programs send none.
 */
export function assertOwnPage(app: App, request: PublicRequest, what: string): void {
  assertOnlyHere(app, request, what);
  const { origin, host } = request.headers;
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;
  if (origin !== undefined && from !== host)
    throw new ApiError("forbidden", "Pages of other origins may not do this.");
}
