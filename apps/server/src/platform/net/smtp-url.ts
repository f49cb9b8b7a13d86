/** A mail server and how to log in to it. */
export type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the first byte (smtps), else STARTTLS where it is offered. */
  secure: boolean;
  /** Null where the server takes mail without a login. */
  login: { user: string; password: string } | null;
  /** How many connections to keep open at once. */
  connections: number;
};

/** The form that `parseSmtpUrl` takes, for refusals. */
export const SMTP_URL_RULE =
  "must be smtp:// or smtps:// with a host, optionally user:password@ (percent-encoded) before it, :port and ?connections=1 to 50 after it";

const DEFAULT_CONNECTIONS = 5;
const MAX_LENGTH = 1_000;
// One part each: scheme, user, password, host (a name or [IPv6]), port, connections.
const FORM =
  /^(smtps?):\/\/(?:([^\s:@/?#]+):([^\s@/?#]+)@)?([a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?\/?(?:\?connections=(\d{1,2}))?$/i;

/** Percent-decoded, or null where that is not a text without control characters. */
function decoded(part: string): string | null {
  try {
    const text = decodeURIComponent(part);
    return /\p{Cc}/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** `smtp://user:password@mail.example.com:587?connections=5` (RFC 3986, 3), or null for anything else. */
export function parseSmtpUrl(url: string): SmtpServer | null {
  const found = url.length > MAX_LENGTH ? null : FORM.exec(url);
  if (found === null) return null;
  const [, scheme = "", rawUser, rawPassword, host = "", rawPort, rawConnections] = found;
  const secure = scheme.toLowerCase() === "smtps";
  const port = rawPort === undefined ? (secure ? 465 : 587) : Number(rawPort);
  const connections = rawConnections === undefined ? DEFAULT_CONNECTIONS : Number(rawConnections);
  if (port < 1 || port > 65_535 || connections < 1 || connections > 50) return null;
  const server = { host: host.replace(/^\[|\]$/g, ""), port, secure, connections };
  if (rawUser === undefined || rawPassword === undefined) return { ...server, login: null };
  const [user, password] = [decoded(rawUser), decoded(rawPassword)];
  return user === null || password === null ? null : { ...server, login: { user, password } };
}
