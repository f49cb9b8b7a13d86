import { sqlState } from "../db.ts";

/** What to do about an error of PostgreSQL, by its SQLSTATE. */
const BY_STATE: Readonly<Record<string, string>> = {
  "28P01": "DATABASE_URL has to name a role that exists, and its password, percent-encoded",
  "28000": "make the role, or let it in (login, pg_hba.conf)",
  "3D000": "make it, or name another one in DATABASE_URL",
  "42501": "grant it to the role of DATABASE_URL, or name the role there that owns the tables",
  "25006":
    "this is a standby, or it is set to read only (default_transaction_read_only): name the primary in DATABASE_URL, or allow writes",
  "25P03": "raise idle_in_transaction_session_timeout of the role or the database",
  "25P04": "raise transaction_timeout of the role or the database",
  "53100": "its disk is full: make room there, then try again",
  "53200": "it is out of memory: give it more, then try again",
  "53300":
    "a process opens up to 27: end other clients, or raise max_connections, or the connection limit of the role or the database",
  "55P03": "raise lock_timeout of the role or the database, then try again",
  "57014": "raise statement_timeout of the role or the database, then try again",
  "57P01": "it was stopped or restarted: try again when it runs",
  "57P02": "it was stopped or restarted: try again when it runs",
  "57P03": "try again when it runs",
};

/** As `BY_STATE`, where the text of the error says more than its state. */
const BY_TEXT: readonly (readonly [RegExp, string])[] = [
  [/no encryption|SSL off/, "it wants TLS: add ?sslmode=verify-full to DATABASE_URL"],
  [
    /startup parameter|command-line options/,
    "a pooler in between refuses the settings of Tidings' connections: name PostgreSQL itself in DATABASE_URL, or have the pooler pass options",
  ],
  [
    /does not support SSL|establishing an SSL/,
    "leave sslmode out of DATABASE_URL, or turn TLS on there (ssl = on)",
  ],
  [/password must be a string/, "it wants a password: put it into DATABASE_URL, percent-encoded"],
  [
    /SASL|server signature/,
    "it does not prove that it knows the password: check that it is the right server",
  ],
  [
    /timeout exceeded when trying to connect|connection timeout|timeout expired/,
    "nothing answered in time: check host, port and firewall, and that connections are free",
  ],
  [/terminated|not queryable/, "the connection was lost: try again when the database runs"],
];

const UNTRUSTED =
  "its certificate is not trusted: name the certificate of its authority with sslrootcert= in DATABASE_URL, or in NODE_EXTRA_CA_CERTS";

/** What to do where the database cannot be reached, by the code of the system call or of TLS. */
const BY_CODE: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no host of that name: correct it in DATABASE_URL",
  EAI_AGAIN: "the name of the host cannot be looked up now: check the network and its DNS server",
  ECONNREFUSED: "nothing listens there: check that PostgreSQL runs, and host and port",
  ECONNRESET: "the connection was cut: check that it is PostgreSQL that listens there",
  EPIPE: "the connection was cut: try again when the database runs",
  EHOSTUNREACH: "no network leads there",
  ENETUNREACH: "no network leads there",
  ETIMEDOUT: "nothing answered in time: check host, port and firewall",
  ENOENT: "there is no such socket: check that PostgreSQL runs, and its folder",
  EACCES: "this user may not open the socket",
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: "its certificate has expired: renew it there",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "its certificate is for another name: name the host in DATABASE_URL as the certificate does",
};

/**
 * What an operator does about an error of the database, or null where it is none that an operator can mend.
 * @param setting what named the database
 */
export function adviceOn(error: unknown, setting = "DATABASE_URL"): string | null {
  if (!(error instanceof Error)) return null;
  const [, byText] = BY_TEXT.find(([pattern]) => pattern.test(error.message)) ?? [];
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const advice = byText ?? (sqlState(error) === null ? BY_CODE[code] : BY_STATE[code]) ?? null;
  return advice?.replaceAll("DATABASE_URL", setting) ?? null;
}

/** Why the database cannot be used, in one line, with what to do where that is known; `setting` is what named it. */
export function faultOf(error: unknown, setting?: string): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const reason = (message || code || String(error)).replace(/\s+/g, " ");
  const advice = adviceOn(error, setting);
  return advice === null ? reason : `${reason}: ${advice}`;
}
