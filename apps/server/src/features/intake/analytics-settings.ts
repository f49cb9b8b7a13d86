import type { PublicRoute } from "../../platform/http/public/public-route.ts";
import type { App } from "../../platform/runtime.ts";
import { authenticator } from "../access/public.ts";

const headers = { "access-control-allow-origin": "*" };
const JSON_TYPE = "application/json; charset=utf-8";

/** What analytics.js asks for before it sends anything: where to. It loads nothing else, and reports nothing on itself. */
function settingsFor(app: App, key: string): object {
  const { protocol, host } = new URL(app.publicUrl());
  return {
    integrations: {
      "Segment.io": { apiKey: key, apiHost: `${host}/v1`, protocol: protocol.slice(0, -1) },
    },
    plan: { track: { __default: { enabled: true, integrations: {} } } },
    metrics: { sampleRate: 0 },
  };
}

/** The settings of a project for analytics.js, whose write key is the publishable key. */
export const analyticsSettings: PublicRoute = {
  method: "GET",
  path: "/v1/projects/{key}/settings",
  async respond(app, { params: { key = "" }, address }) {
    const principal = await app.get(authenticator)(key, { address });
    // The secret key must not stand in a page.
    if (principal?.keyKind !== "publishable") {
      const error = "This takes the publishable key of a project.";
      return { status: 404, contentType: JSON_TYPE, body: JSON.stringify({ error }), headers };
    }
    return {
      status: 200,
      contentType: JSON_TYPE,
      body: JSON.stringify(settingsFor(app, key)),
      headers: { ...headers, "cache-control": "public, max-age=300" },
    };
  },
};

/** What analytics.js reports on itself: taken, so that it logs no fault, and not kept. */
export const analyticsMetrics: PublicRoute = {
  method: "POST",
  path: "/v1/m",
  bodyLimit: 64 * 1_024,
  respond: async () => ({
    status: 200,
    contentType: JSON_TYPE,
    body: JSON.stringify({ success: true }),
    headers,
  }),
};
