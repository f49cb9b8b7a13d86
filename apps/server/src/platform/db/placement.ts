import type { Tables } from "./db.ts";

/**
 * Where the rows of a table live on a cluster.
 *
 * - a column: spread by `lane`, the first six bits of that key. `userKey`: a row or more per end user (the hot tables); else a
 *   thing with a key of its own
 * - `counter`: spread by `lane` too, of what is counted
 * - `reference`: small and of people's making, or a rollup; on every machine, so that every lane can join it
 * - `local`: on one machine only; no statement over lanes needs it
 */
export type Place =
  | "userKey"
  | "installationKey"
  | "tokenKey"
  | "addressKey"
  | "messageKey"
  | "counter"
  | "reference"
  | "local";

/** Where a table lies, and which folder's stores are the only ones that write it: a room of `features`, or the platform. */
type Declared = { lies: Place; owner: string };

/** Every table of the schema. One that is missing here does not compile; docs/self-hosting.md shows the same list. */
export const placement = {
  users: { lies: "userKey", owner: "users/profiles" },
  events: { lies: "userKey", owner: "users/events" },
  eventCounts: { lies: "userKey", owner: "users/events" },
  activeUsers: { lies: "userKey", owner: "counting/usage" },
  deliveries: { lies: "userKey", owner: "deliveries" },
  feedbackReceipts: { lies: "userKey", owner: "web" },
  erasedUsers: { lies: "userKey", owner: "erasure" },
  erasingUsers: { lies: "userKey", owner: "erasure" },
  frozenEvents: { lies: "userKey", owner: "deliveries" },
  emailSends: { lies: "userKey", owner: "email/sending" },
  emailAttempts: { lies: "userKey", owner: "email/sending" },
  emailOutcomes: { lies: "userKey", owner: "email/sending" },
  emailResends: { lies: "userKey", owner: "email/sending" },
  emailTouchHeads: { lies: "userKey", owner: "email/feedback" },
  emailTouches: { lies: "userKey", owner: "email/feedback" },
  pushRecipients: { lies: "userKey", owner: "push/sending" },
  pushSlots: { lies: "userKey", owner: "push/sending" },
  pushTargets: { lies: "userKey", owner: "push/sending" },
  pushAttempts: { lies: "userKey", owner: "push/sending" },
  pushOutcomes: { lies: "userKey", owner: "push/sending" },
  pushObservations: { lies: "userKey", owner: "ingest/observations" },
  pushEngagements: { lies: "userKey", owner: "ingest/observations" },
  pushConversions: { lies: "userKey", owner: "push/sending" },

  installations: { lies: "installationKey", owner: "users/devices" },
  installationAcknowledgements: { lies: "installationKey", owner: "users/devices" },
  installationTokens: { lies: "tokenKey", owner: "users/devices" },
  emailAddresses: { lies: "addressKey", owner: "email/addresses" },
  erasedMessages: { lies: "messageKey", owner: "email/sending" },

  activeUserCounts: { lies: "counter", owner: "counting/usage" },
  campaignStats: { lies: "counter", owner: "deliveries" },
  emailCappedCounts: { lies: "counter", owner: "email/sending" },
  rollupNotes: { lies: "counter", owner: "counting/rollups" },

  organizations: { lies: "reference", owner: "access" },
  organizationSettings: { lies: "reference", owner: "settings" },
  projects: { lies: "reference", owner: "access" },
  apiKeys: { lies: "reference", owner: "access" },
  identitySecrets: { lies: "reference", owner: "access" },
  settings: { lies: "reference", owner: "settings" },
  settingChanges: { lies: "reference", owner: "settings" },
  goals: { lies: "reference", owner: "campaigns/goals" },
  campaigns: { lies: "reference", owner: "campaigns/authoring" },
  variants: { lies: "reference", owner: "campaigns/authoring" },
  campaignSweeps: { lies: "reference", owner: "deliveries" },
  segments: { lies: "reference", owner: "audience/segments" },
  agentRuns: { lies: "reference", owner: "runs" },
  audienceVersions: { lies: "reference", owner: "audience/segments" },
  media: { lies: "reference", owner: "campaigns/media" },
  dkimKeys: { lies: "reference", owner: "settings" },
  addressIntakes: { lies: "reference", owner: "email/sending" },
  pushCredentials: { lies: "reference", owner: "push/credentials" },
  pushDefinitions: { lies: "reference", owner: "push/sending" },
  pushTests: { lies: "reference", owner: "push/sending" },
  suppressionChanges: { lies: "reference", owner: "email/addresses" },
  usageCatchUps: { lies: "reference", owner: "counting/usage" },
  eventNames: { lies: "reference", owner: "counting/rollups" },
  eventProperties: { lies: "reference", owner: "counting/rollups" },
  eventDays: { lies: "reference", owner: "counting/rollups" },
  traitKeys: { lies: "reference", owner: "counting/rollups" },
  traitValues: { lies: "reference", owner: "counting/rollups" },
  crowdedTraits: { lies: "reference", owner: "counting/rollups" },
  deliveryDays: { lies: "reference", owner: "counting/rollups" },

  demoPushes: { lies: "local", owner: "demo" },
  demoShop: { lies: "local", owner: "demo" },
  emailTestPaces: { lies: "local", owner: "email/sending" },
  emailThrottles: { lies: "local", owner: "email/sending" },
  idempotencyKeys: { lies: "local", owner: "platform" },
  loopTurns: { lies: "local", owner: "platform" },
  migrations: { lies: "local", owner: "platform" },
  outboxMessages: { lies: "local", owner: "email/transport" },
  processes: { lies: "local", owner: "platform" },
  reportTokens: { lies: "local", owner: "email/feedback" },
  secretKeyCanary: { lies: "local", owner: "platform" },
  sharedBudgets: { lies: "local", owner: "platform" },
} as const satisfies Record<keyof Tables, Declared>;

/** The tables whose rows have a key, with that key. */
export const keyedTables = Object.entries(placement).flatMap(([table, { lies }]) =>
  lies.endsWith("Key") ? [{ table, key: lies }] : [],
);
