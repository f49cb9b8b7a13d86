import { curlOf } from "../../platform/curl.ts";

/** What people have, in the order in which the page has it. */
export const LIBRARIES = ["browser", "node", "servers", "rudder", "http"] as const;
export type Library = (typeof LIBRARIES)[number];

/** What stands for a key that is not known: the secret key is shown once, when it is made. */
const SECRET_KEY = "pk_…";
const NO_PUBLISHABLE_KEY = "pk_pub_…";

/**
 * The lines that lead a library to a server.
 * @param origin address of the server
 * @param publishableKey key of the project for pages; null where it has none
 */
export function snippetFor(library: Library, origin: string, publishableKey: string | null): string {
  if (library === "browser")
    return `import { AnalyticsBrowser } from "@segment/analytics-next";

export const analytics = AnalyticsBrowser.load({
  writeKey: "${publishableKey ?? NO_PUBLISHABLE_KEY}",
  cdnURL: "${origin}",
});`;
  if (library === "node")
    return `import { Analytics } from "@segment/analytics-node";

export const analytics = new Analytics({
  writeKey: "${SECRET_KEY}",
  host: "${origin}",
});`;
  if (library === "servers") return `host:      ${origin}\nwrite key: ${SECRET_KEY}`;
  if (library === "rudder")
    return `import RudderAnalytics from "@rudderstack/rudder-sdk-node";

export const analytics = new RudderAnalytics("${SECRET_KEY}", {
  dataPlaneUrl: "${origin}",
});`;
  return curlOf(origin, "/v1/track", SECRET_KEY, {
    userId: "ada",
    event: "upgraded",
    properties: { plan: "pro" },
    messageId: "order-of-ada",
  });
}
