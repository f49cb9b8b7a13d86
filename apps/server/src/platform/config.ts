import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { databaseUrlFault } from "./db/external/address.ts";
import { defaultBudgets } from "./http/budgets/budget.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { HOST_LIST_RULE, parseHostList } from "./net/host-list.ts";
import { parseSmtpUrl, SMTP_URL_RULE } from "./net/smtp-url.ts";
import { parseTrustedProxies, TRUSTED_PROXIES_RULE, type TrustedProxies } from "./net/trusted-proxies.ts";
import { withoutMark } from "./text/byte-order-mark.ts";
import { DAY_MS, HOUR_MS } from "./time/clock.ts";

/** A setting the server cannot start with. `message` is one line that names it. */
export class ConfigError extends Error {}

const ROLES = ["api", "worker", "agent"] as const;
export type ProcessRole = (typeof ROLES)[number];

const budgets = Object.keys(defaultBudgets);
const rateLimits = z
  .record(z.string(), z.int().min(1))
  .refine((limits) => Object.keys(limits).every((name) => budgets.includes(name)));

const limitNames = Object.keys(defaultLimits);
const limits = z
  .record(z.string(), z.int().min(1))
  .refine((given) => Object.keys(given).every((name) => limitNames.includes(name)));

/** Variables whose value is, or may carry, a password: they are named, never repeated. */
const CONFIDENTIAL = ["DATABASE_URL", "SECRET_KEY", "SMTP_URL"];

/** The key behind its base64 text (32 bytes, one spelling), or null for anything else. */
export function secretKeyOf(text: string): Buffer | null {
  const key = Buffer.from(text, "base64");
  return key.length === 32 && key.toString("base64") === text ? key : null;
}

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53`, `[2001:db8::53]:5353`. */
function isDnsServer(text: string): boolean {
  const [, v4, v6, port = "53"] = /^(?:([\d.]+)|\[([\da-f:]+)\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  return isIP(text) === 6 || (isIP(v4 ?? v6 ?? "") !== 0 && isPort);
}

/** Requests to a provider carry its credentials, so they need TLS. */
const providerUrl = z.url({ protocol: /^https$/, error: "must be an https:// address" });

/** Where the browsers in wide use are reached: Chrome and what is built like it, Firefox, Safari, Edge. */
const PUSH_SERVICES = [
  "fcm.googleapis.com",
  "updates.push.services.mozilla.com",
  "*.push.apple.com",
  "*.notify.windows.com",
];

/** `6h` or `1d` in milliseconds. */
const periodOf = (text: string): number =>
  Number.parseInt(text, 10) * (text.endsWith("d") ? DAY_MS : HOUR_MS);

const PORT_RULE = "must be a port, a whole number from 0 to 65535";

const Environment = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, PORT_RULE)
    .transform(Number)
    .refine((port) => port <= 65_535, PORT_RULE)
    .default(8080),
  HOST: z.string().min(1).default("127.0.0.1"),
  DATA_DIR: z.string().min(1).default("./data"),
  DATABASE_URL: z
    .string()
    .superRefine((url, issues) => {
      const fault = databaseUrlFault(url);
      if (fault !== null) issues.addIssue(fault);
    })
    .optional(),
  AUTO_MIGRATE: z.enum(["0", "1"]).default("0"),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" }).optional(),
  TRUSTED_PROXIES: z
    .string()
    .transform((text, issues): TrustedProxies => {
      const trusted = parseTrustedProxies(text);
      if (trusted !== null) return trusted;
      issues.addIssue(TRUSTED_PROXIES_RULE);
      return z.NEVER;
    })
    .optional(),
  MODE: z.enum(["self_hosted", "managed"]).default("self_hosted"),
  ROLES: z
    .string()
    .default("api,worker")
    .transform((text) => text.split(",").map((role) => role.trim()))
    .pipe(z.array(z.enum(ROLES)).min(1)),
  SECRET_KEY: z
    .string()
    .transform((text, issues): Buffer => {
      const key = secretKeyOf(text);
      if (key !== null) return key;
      issues.addIssue('must be 32 bytes as base64, which "openssl rand -base64 32" makes');
      return z.NEVER;
    })
    .optional(),
  SMTP_URL: z
    .string()
    .refine((url) => parseSmtpUrl(url) !== null, SMTP_URL_RULE)
    .optional(),
  SNS_CERT_ORIGIN: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// address" })
    .optional(),
  DNS_SERVER: z
    .string()
    .refine(isDnsServer, "must be an IP address, with :port where it is not 53")
    .optional(),
  APNS_URL: providerUrl.optional(),
  FCM_URL: providerUrl.default("https://fcm.googleapis.com"),
  GOOGLE_TOKEN_URL: providerUrl.default("https://oauth2.googleapis.com/token"),
  WEBPUSH_HOSTS: z
    .string()
    .transform((text, issues): readonly string[] => {
      const hosts = parseHostList(text);
      if (hosts !== null) return hosts;
      issues.addIssue(HOST_LIST_RULE);
      return z.NEVER;
    })
    .optional(),
  AGENT_API_URL: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" }).optional(),
  SOURCES_MAX_MB: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, "must be a whole number of megabytes, at least 1")
    .transform(Number)
    .default(4_096),
  SOURCES_PROJECT_MAX_MB: z
    .string()
    .regex(/^[1-9]\d{0,7}$/, "must be a whole number of megabytes, at least 1")
    .transform(Number)
    .default(20_480),
  SOURCES_PRIVATE: z.enum(["0", "1"]).optional(),
  WEBHOOKS_PRIVATE: z.enum(["0", "1"]).optional(),
  SYNCS_PRIVATE: z.enum(["0", "1"]).optional(),
  SYNCS_FOLDER: z.string().optional(),
  BACKUP_EVERY: z
    .string()
    .regex(/^[1-9]\d{0,3}[hd]$/, "must be hours or days, such as 6h or 1d")
    .transform(periodOf)
    .optional(),
  BACKUP_KEEP: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "must be a whole number from 1 to 9999")
    .transform(Number)
    .default(7),
  BACKUP_FOLDER: z.string().optional(),
  DEMO: z.enum(["0", "1"]).optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  LOG_FILE: z.string().optional(),
  RATE_LIMITS: z
    .string()
    .default("{}")
    .transform((text, issues) => {
      if (text === "off") return "off" as const;
      try {
        return rateLimits.parse(JSON.parse(withoutMark(text)));
      } catch {
        issues.addIssue(`must be "off" or JSON such as {"campaigns": 1200}, of ${budgets.join(", ")}`);
        return z.NEVER;
      }
    }),
  LIMITS: z
    .string()
    .default("{}")
    .transform((text, issues): Limits => {
      try {
        return { ...defaultLimits, ...limits.parse(JSON.parse(withoutMark(text))) };
      } catch {
        issues.addIssue(`must be JSON such as {"userTraitKeys": 200}, of ${limitNames.join(", ")}`);
        return z.NEVER;
      }
    }),
});

/** Whether a host always means the computer on which it is used. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

/** Whether links to this address can work on another computer: it is neither a loopback address nor "any address". */
export const isReachable = (url: string): boolean => {
  const { hostname } = new URL(url);
  return !isLoopback(hostname) && hostname !== "0.0.0.0" && hostname !== "[::]";
};

/** The settings of a server, which come from the environment. */
export type Config = {
  port: number;
  host: string;
  /** Absolute path of the folder of the embedded database. */
  dataDir: string;
  /** Set when the operator brings their own PostgreSQL. */
  databaseUrl: string | null;
  autoMigrate: boolean;
  /** Origin that links and media carry, without a trailing slash; null means the address listened on. */
  publicUrl: string | null;
  /** The proxies that say in X-Forwarded-For who asks; null where none is trusted. */
  trustedProxies: TrustedProxies | null;
  mode: "self_hosted" | "managed";
  roles: readonly ProcessRole[];
  /** What stored credentials are sealed with, 32 bytes; null means the file in `dataDir`. */
  secretKey: Buffer | null;
  /** The mail server of projects that name none of their own (`parseSmtpUrl` reads it), or null. */
  smtpUrl: string | null;
  /** Where certificates and confirmations of Amazon SNS are fetched from instead of its own hosts, or null. */
  snsCertOrigin: string | null;
  /** The DNS server to ask, as an IP address with or without a port; null means the system's. */
  dnsServer: string | null;
  /** Where APNs is; null means Apple's own address of an app's environment. */
  apnsUrl: string | null;
  fcmUrl: string;
  /** Where Google gives out access tokens for FCM. */
  googleTokenUrl: string;
  /** The push services of browsers that may be sent to, as hosts: see `isInHostList`. */
  webpushHosts: readonly string[];
  /** Whether push services may lie on this machine or in its network: where the operator names them. */
  webpushPrivate: boolean;
  /** Where the agent of this process finds the API, without a trailing slash; null means this process. */
  agentApiUrl: string | null;
  /** The most megabytes that the mirror of a repository may take. */
  sourcesMaxMb: number;
  /** The most megabytes that all mirrors of a project may take together. */
  sourcesProjectMaxMb: number;
  /** Whether repositories may lie on this machine or in its network: where people run the server for themselves, unless they say otherwise. */
  sourcesPrivate: boolean;
  /** Whether webhooks may lie on this machine or in its network, and be http://: where nothing else can reach the server, unless it says otherwise. */
  webhooksPrivate: boolean;
  /** Whether the stores of syncs may lie on this machine or in its network, and be http://; as for webhooks. */
  syncsPrivate: boolean;
  /** Absolute path of the folder below which syncs write, where their project chooses a folder; null where none may. */
  syncsFolder: string | null;
  /** Backups of the embedded database. */
  backups: {
    /** How often the server makes one, in milliseconds; null means never. */
    everyMs: number | null;
    /** How many of those stay. */
    keep: number;
    /** Absolute path of the folder in which they lie. */
    folder: string;
  };
  /** Whether nothing but this machine can reach the server. */
  isPrivate: boolean;
  /** Whether this server shows the demo shop. */
  demo: boolean;
  logLevel: string;
  /** Absolute path of a file that gets every line of the log, or null. */
  logFile: string | null;
  /** Requests per minute by budget, or `off`. */
  rateLimits: Readonly<Record<string, number>> | "off";
  /** What a user and a project may leave behind, and what a request may cost. */
  limits: Limits;
};

/** Where other people's projects are, none of them writes to the disk of the server, unless its operator says where. */
function syncsFolderOf({ SYNCS_FOLDER: folder, DATA_DIR: data, MODE: mode }: z.infer<typeof Environment>) {
  if (folder !== undefined) return resolve(folder);
  return mode === "managed" ? null : resolve(data, "syncs");
}

/** Reads and checks the environment. @throws ConfigError naming the first bad value. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable is how shells and compose files spell "not set".
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0] ?? "environment");
    const value = CONFIDENTIAL.includes(name) ? "" : ` (${JSON.stringify(given[name])})`;
    throw new ConfigError(`${name}${value} is not usable: ${issue?.message ?? "invalid"}`);
  }
  const e = parsed.data;
  if (e.ROLES.includes("agent") && !e.ROLES.includes("api") && e.AGENT_API_URL === undefined)
    throw new ConfigError(
      "AGENT_API_URL is missing: an agent without the role api needs to know where the API is",
    );
  if (e.BACKUP_EVERY !== undefined && e.DATABASE_URL !== undefined)
    throw new ConfigError(
      "BACKUP_EVERY is for the embedded database: with DATABASE_URL, pg_dump or your provider makes backups (docs/backup.md)",
    );
  if (e.BACKUP_EVERY !== undefined && !e.ROLES.includes("worker"))
    throw new ConfigError("BACKUP_EVERY needs the role worker: backups are made by a process that works");
  const isPrivate =
    isLoopback(e.HOST) && (e.PUBLIC_URL === undefined || isLoopback(new URL(e.PUBLIC_URL).hostname));
  return {
    port: e.PORT,
    host: e.HOST,
    dataDir: resolve(e.DATA_DIR),
    databaseUrl: e.DATABASE_URL ?? null,
    autoMigrate: e.AUTO_MIGRATE === "1",
    publicUrl: e.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    trustedProxies: e.TRUSTED_PROXIES ?? null,
    mode: e.MODE,
    roles: e.ROLES,
    secretKey: e.SECRET_KEY ?? null,
    smtpUrl: e.SMTP_URL ?? null,
    snsCertOrigin: e.SNS_CERT_ORIGIN === undefined ? null : new URL(e.SNS_CERT_ORIGIN).origin,
    dnsServer: e.DNS_SERVER ?? null,
    apnsUrl: e.APNS_URL ?? null,
    fcmUrl: e.FCM_URL,
    googleTokenUrl: e.GOOGLE_TOKEN_URL,
    webpushHosts: e.WEBPUSH_HOSTS ?? PUSH_SERVICES,
    webpushPrivate: e.WEBPUSH_HOSTS !== undefined,
    agentApiUrl: e.AGENT_API_URL?.replace(/\/+$/, "") ?? null,
    sourcesMaxMb: e.SOURCES_MAX_MB,
    sourcesProjectMaxMb: e.SOURCES_PROJECT_MAX_MB,
    sourcesPrivate: e.SOURCES_PRIVATE === undefined ? e.MODE === "self_hosted" : e.SOURCES_PRIVATE === "1",
    webhooksPrivate: e.WEBHOOKS_PRIVATE === undefined ? isPrivate : e.WEBHOOKS_PRIVATE === "1",
    syncsPrivate: e.SYNCS_PRIVATE === undefined ? isPrivate : e.SYNCS_PRIVATE === "1",
    syncsFolder: syncsFolderOf(e),
    backups: {
      everyMs: e.BACKUP_EVERY ?? null,
      keep: e.BACKUP_KEEP,
      folder: resolve(e.BACKUP_FOLDER ?? resolve(e.DATA_DIR, "backups")),
    },
    isPrivate,
    demo: e.DEMO === undefined ? isPrivate : e.DEMO === "1",
    logLevel: e.LOG_LEVEL,
    logFile: e.LOG_FILE === undefined ? null : resolve(e.LOG_FILE),
    rateLimits: e.RATE_LIMITS,
    limits: e.LIMITS,
  };
}
