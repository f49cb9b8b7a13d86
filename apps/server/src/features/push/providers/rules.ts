import type { Blame } from "./reply.pure.ts";

/** A refusal: the provider's code, and what it is about. */
export type PushRefusal = { code: string; class: Blame; invalidSince?: number };

const MAX_CODE = 128;

/** Apple, "Handling notification responses from APNs". The reason decides, whatever the status of the answer. */
const APNS: Readonly<Record<string, Blame>> = {
  // Said of a token that is none, and of every token at the wrong one of Apple's two servers.
  BadDeviceToken: "token_doubtful",
  DeviceTokenNotForTopic: "token_foreign",
  ExpiredToken: "token_invalid",
  Unregistered: "token_invalid",
  BadCollapseId: "payload",
  BadExpirationDate: "payload",
  BadMessageId: "payload",
  BadPriority: "payload",
  DuplicateHeaders: "payload",
  InvalidPushType: "payload",
  PayloadEmpty: "payload",
  PayloadTooLarge: "payload",
  BadCertificate: "credential",
  BadCertificateEnvironment: "credential",
  BadEnvironmentKeyIdInToken: "credential",
  BadEnvironmentKeyInToken: "credential",
  BadTopic: "credential",
  // No words of a campaign mend the address that requests go to.
  BadPath: "credential",
  MethodNotAllowed: "credential",
  MissingDeviceToken: "credential",
  Forbidden: "credential",
  InvalidProviderToken: "credential",
  MissingProviderToken: "credential",
  MissingTopic: "credential",
  // Said before the push is read: others make tokens with this key as well.
  TooManyProviderTokenUpdates: "credential",
  TopicDisallowed: "credential",
  UnrelatedKeyIdInToken: "credential",
  ExpiredProviderToken: "auth_expired",
  TooManyRequests: "throttled",
  IdleTimeout: "server",
  InternalServerError: "server",
  ServiceUnavailable: "server",
  Shutdown: "server",
};

/** Firebase, "ErrorCode" of FCM's HTTP v1 API, and google.rpc.Code for what does not come from FCM itself. */
const FCM: Readonly<Record<string, Blame>> = {
  UNREGISTERED: "token_invalid",
  SENDER_ID_MISMATCH: "token_foreign",
  INVALID_ARGUMENT: "payload",
  FAILED_PRECONDITION: "payload",
  OUT_OF_RANGE: "payload",
  PERMISSION_DENIED: "credential",
  THIRD_PARTY_AUTH_ERROR: "credential",
  // Without FCM's own word: the project was not found, or the token.
  NOT_FOUND: "token_doubtful",
  UNAUTHENTICATED: "auth_expired",
  QUOTA_EXCEEDED: "throttled",
  RESOURCE_EXHAUSTED: "throttled",
  ABORTED: "server",
  CANCELLED: "server",
  DEADLINE_EXCEEDED: "server",
  INTERNAL: "server",
  UNAVAILABLE: "server",
  UNKNOWN: "server",
  UNSPECIFIED_ERROR: "server",
};

/** What a refusal is about whose reason is not known: never the token. */
function byStatus(status: number): Exclude<Blame, `token_${string}`> {
  if (status === 429) return "throttled";
  if (status === 401 || status === 403) return "credential";
  return status >= 400 && status < 500 && status !== 408 ? "payload" : "server";
}

/** What an answer is about that gives no reason. A provider always gives one: something else answers at this address. */
function byStatusAlone(status: number): Exclude<Blame, `token_${string}`> {
  if (status === 413) return "payload";
  return status >= 300 && status < 500 && status !== 408 && status !== 429 ? "credential" : byStatus(status);
}

/** @param word the provider's reason; undefined where the answer has none */
function lookUp(table: Readonly<Record<string, Blame>>, word: string | undefined, status: number): Blame {
  if (word === undefined) return byStatusAlone(status);
  return (Object.hasOwn(table, word) ? table[word] : undefined) ?? byStatus(status);
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object of a JSON text; an empty one for anything else. */
export function parseObject(body: string): Json {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A provider's word for what happened; undefined where the answer has none. */
const wordOf = (word: unknown): string | undefined =>
  typeof word === "string" && /^[\x20-\x7e]+$/.test(word) ? word.slice(0, MAX_CODE) : undefined;

const isInstant = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0;

/** What APNs refused, from the status and the body of its answer. */
export function apnsRefusal(status: number, body: string): PushRefusal {
  const { reason, timestamp } = parseObject(body);
  const word = wordOf(reason);
  const refusal = { code: word ?? String(status), class: lookUp(APNS, word, status) };
  return refusal.class === "token_invalid" && isInstant(timestamp)
    ? { ...refusal, invalidSince: timestamp }
    : refusal;
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Whether an INVALID_ARGUMENT is about the token: it names that field alone, or names no field and mentions the token. */
function blamesToken(details: readonly Json[], message: unknown): boolean {
  const fields = details
    .flatMap((detail) => list(detail.fieldViolations))
    .map((violation) => violation.field);
  if (fields.length > 0) return fields.every((field) => field === "message.token");
  const isOfFcm = details.some((detail) => detail.errorCode === "INVALID_ARGUMENT");
  return isOfFcm && typeof message === "string" && /registration token/i.test(message);
}

/** What FCM refused, from the status and the body of its answer. */
export function fcmRefusal(status: number, body: string): PushRefusal {
  const { error } = parseObject(body);
  const providerError = isObject(error) ? error : {};
  const details = list(providerError.details);
  const own = details.map((detail) => detail.errorCode).find((code) => typeof code === "string");
  const word = wordOf(own ?? providerError.status);
  const isToken = word === "INVALID_ARGUMENT" && blamesToken(details, providerError.message);
  return { code: word ?? String(status), class: isToken ? "token_doubtful" : lookUp(FCM, word, status) };
}

/** Words of push services for a subscription that was made with another key than it is sent to with: Apple's, and FCM's. */
const OTHER_KEY = /VapidPkHashMismatch|UnauthorizedRegistration/i;

/** What a push service of browsers refused, by the status alone (RFC 8030, 5 and 7). */
function byStatusOfBrowsers(status: number): Blame {
  switch (status) {
    case 404:
    case 410:
      return "token_invalid";
    // A key that one push service takes, another may refuse, as may one subscription that was made with another key.
    case 401:
    case 403:
      return "token_foreign";
    // Windows' word for too many requests, beside 429.
    case 406:
      return "throttled";
    default:
      return byStatus(status);
  }
}

/** The first line of an answer that is neither JSON nor a page. */
const lineOf = (body: string): string | undefined =>
  wordOf(/^[^<{\r\n][^\r\n]{0,511}/.exec(body)?.[0].trim());

/**
 * What a push service of browsers refused. The word is Apple's `reason`, Windows' header, Mozilla's `message`, or the line that Google
 * writes.
 */
export function webPushRefusal({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}): PushRefusal {
  const text = body.toString();
  const { reason, message, error } = parseObject(text);
  const word =
    wordOf(reason) ??
    wordOf(headers["x-wns-error-description"]) ??
    wordOf(message) ??
    wordOf(error) ??
    lineOf(text);
  const isOtherKey = status >= 400 && status < 500 && word !== undefined && OTHER_KEY.test(word);
  return { code: word ?? String(status), class: isOtherKey ? "token_foreign" : byStatusOfBrowsers(status) };
}

/** What Google's token endpoint refused (RFC 6749, 5.2), which is never about a push. */
export function oauthRefusal(
  status: number,
  body: string,
): { code: string; class: "credential" | "throttled" | "server" } {
  const { error } = parseObject(body);
  const blame = byStatus(status);
  return {
    code: wordOf(error) ?? String(status),
    class: blame === "throttled" || blame === "server" ? blame : "credential",
  };
}

/** Milliseconds of a `Retry-After`: seconds, or a date (RFC 9110, 10.2.3); null for none that can be read. @param now epoch ms */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // A date begins with the name of a day; anything else that could be parsed is none.
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Whether a name can be a collapse id: at most 64 printable ASCII characters (Apple, "Sending notification requests to APNs"). */
export const fitsCollapseId = (name: string): boolean => /^[\x21-\x7e]{1,64}$/.test(name);
