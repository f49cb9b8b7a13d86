import { ApiError } from "../../../../platform/http/contract/errors.ts";
import type {
  PublicAnswer,
  PublicRequest,
  PublicRoute,
} from "../../../../platform/http/public/public-route.ts";
import type { App } from "../../../../platform/runtime.ts";
import { withoutMark } from "../../../../platform/text/byte-order-mark.ts";
import { readSettings } from "../../../settings/public.ts";
import { emailSettings } from "../../sender/settings.pure.ts";
import { PROVIDERS, type Provider } from "../../sending/public.ts";
import { recordReports } from "../report.ts";
import { stopAddresses } from "../stop-addresses.ts";
import { readProviderReports } from "./parse.pure.ts";
import { resolveReports } from "./resolve.ts";
import { digest, isFromPostmark, isFromSendGrid, tokenOfMailgun } from "./signatures.ts";
import { confirmSubscription, readSns } from "./sns.ts";
import { keepToken } from "./tokens-store.ts";

const MAX_REPORT_BYTES = 1_048_576;

export const THANKS: PublicAnswer = {
  status: 200,
  contentType: "application/json; charset=utf-8",
  body: '{"ok":true}',
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NOT_JSON = Symbol("not JSON");

function parseJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return NOT_JSON;
  }
}

/** The secret of a project's reports, where this is its provider. */
async function findSecret(app: App, projectId: string, provider: Provider): Promise<string | null> {
  if (!UUID.test(projectId)) return null;
  const settings = await readSettings(app.database.kysely, app.secrets, projectId, emailSettings);
  return settings["email.provider"] === provider ? settings["email.webhookSecret"] : null;
}

/** Reads what SES reports through SNS, and confirms the subscription where SNS asks for that first. */
async function readSes(app: App, json: unknown, topic: string, now: number): Promise<unknown> {
  const message = await readSns(app, json, { topic, now });
  if (message === null) throw new ApiError("unauthorized");
  if (message.Type === "Notification") return parseJson(message.Message);
  if (message.Type === "SubscriptionConfirmation" && !(await confirmSubscription(app, message)))
    throw new ApiError("unauthorized");
  return [];
}

/**
 * Whether Mailgun sent this event: its signature is good, and did not come with another event before. A retry brings the same
 * event.
 */
async function isFromMailgun(
  app: App,
  projectId: string,
  json: unknown,
  { secret, now }: { secret: string; now: number },
): Promise<boolean> {
  const signed = tokenOfMailgun(json, { secret, now });
  if (signed === null) return false;
  // A signed body is an object, because its signature is a field of it.
  const { "event-data": event } = json as { "event-data"?: unknown };
  const seen = { token: digest(signed), content: digest(JSON.stringify(event) ?? "") };
  return keepToken(app.database.kysely, projectId, seen, now);
}

/** The body of a report, once its signature or password proves that the project's provider sent it. @throws ApiError */
async function readGenuine(
  app: App,
  { projectId, provider, secret }: { projectId: string; provider: Provider; secret: string },
  { headers, body, now }: PublicRequest,
): Promise<unknown> {
  const json = parseJson(body.toString("utf8"));
  if (provider === "ses") return readSes(app, json, secret, now);
  const isGenuine = await {
    postmark: () => isFromPostmark({ headers, secret }),
    sendgrid: () => isFromSendGrid({ headers, body, secret, now }),
    mailgun: () => isFromMailgun(app, projectId, json, { secret, now }),
  }[provider]();
  if (!isGenuine) throw new ApiError("unauthorized");
  if (json === NOT_JSON) throw new ApiError("invalid_request", "body must be valid JSON");
  return json;
}

export const providerHook: PublicRoute = {
  method: "POST",
  path: "/hooks/email/{provider}/{projectId}",
  bodyLimit: MAX_REPORT_BYTES,
  async respond(app, request) {
    const { projectId = "" } = request.params;
    const provider = PROVIDERS.find((name) => name === request.params.provider);
    const secret = provider === undefined ? null : await findSecret(app, projectId, provider);
    if (provider === undefined || secret === null) throw new ApiError("unauthorized");
    const genuine = await readGenuine(app, { projectId, provider, secret }, request);
    const { now } = request;
    const { ofMessages, ofAddresses } = resolveReports(app, readProviderReports(provider, genuine), now);
    await recordReports(app, ofMessages, { projectId, name: provider, now });
    await stopAddresses(app, projectId, ofAddresses, now);
    return THANKS;
  },
};
