import { resolve } from "node:path";
import { z } from "zod";
import { defaultBudgets } from "./http/budget.ts";

/** A setting the server cannot start with. `message` is one line that names it. */
export class ConfigError extends Error {}

const ROLES = ["api", "worker"] as const;
export type Role = (typeof ROLES)[number];

const budgets = Object.keys(defaultBudgets);
const rateLimits = z
  .record(z.string(), z.int().min(1))
  .refine((limits) => Object.keys(limits).every((name) => budgets.includes(name)));

const Environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  HOST: z.string().min(1).default("127.0.0.1"),
  DATA_DIR: z.string().min(1).default("./data"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }).optional(),
  AUTO_MIGRATE: z.enum(["0", "1"]).default("0"),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// address" }).optional(),
  MODE: z.enum(["self_hosted", "managed"]).default("self_hosted"),
  ROLES: z
    .string()
    .default(ROLES.join(","))
    .transform((text) => text.split(",").map((role) => role.trim()))
    .pipe(z.array(z.enum(ROLES)).min(1)),
  DEMO: z.enum(["0", "1"]).optional(),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  RATE_LIMITS: z
    .string()
    .default("{}")
    .transform((text, issues) => {
      if (text === "off") return "off" as const;
      try {
        return rateLimits.parse(JSON.parse(text));
      } catch {
        issues.addIssue(`must be "off" or JSON such as {"campaigns": 1200}, of ${budgets.join(", ")}`);
        return z.NEVER;
      }
    }),
});

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

/** Everything the environment decides. */
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
  mode: "self_hosted" | "managed";
  roles: readonly Role[];
  /** Whether this server shows the demo shop. */
  demo: boolean;
  logLevel: string;
  /** Requests per minute by budget, or `off`. */
  rateLimits: Readonly<Record<string, number>> | "off";
};

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
    // An address may carry a password: it is named, never repeated.
    const value = name === "DATABASE_URL" ? "" : ` (${JSON.stringify(given[name])})`;
    throw new ConfigError(`${name}${value} is not usable: ${issue?.message ?? "invalid"}`);
  }
  const e = parsed.data;
  const isPrivate =
    isLoopback(e.HOST) && (e.PUBLIC_URL === undefined || isLoopback(new URL(e.PUBLIC_URL).hostname));
  return {
    port: e.PORT,
    host: e.HOST,
    dataDir: resolve(e.DATA_DIR),
    databaseUrl: e.DATABASE_URL ?? null,
    autoMigrate: e.AUTO_MIGRATE === "1",
    publicUrl: e.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
    mode: e.MODE,
    roles: e.ROLES,
    demo: e.DEMO === undefined ? isPrivate : e.DEMO === "1",
    logLevel: e.LOG_LEVEL,
    rateLimits: e.RATE_LIMITS,
  };
}
