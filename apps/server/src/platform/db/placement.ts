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

/** Where a table lies, and which folder's stores are the only ones that write it: a feature, or the platform. */
type Declared = { lies: Place; owner: string };

/** Every table of the schema. One that is missing here does not compile; docs/self-hosting.md shows the same list. */
export const placement = {
  users: { lies: "userKey", owner: "users" },
  events: { lies: "userKey", owner: "events" },
  eventCounts: { lies: "userKey", owner: "events" },
  activeUsers: { lies: "userKey", owner: "usage" },
  deliveries: { lies: "userKey", owner: "deliveries" },
  feedbackReceipts: { lies: "userKey", owner: "inapp" },
  erasedUsers: { lies: "userKey", owner: "erasure" },
  erasingUsers: { lies: "userKey", owner: "erasure" },
  frozenEvents: { lies: "userKey", owner: "deliveries" },
  emailSends: { lies: "userKey", owner: "email" },
  emailAttempts: { lies: "userKey", owner: "email" },
  emailOutcomes: { lies: "userKey", owner: "email" },
  emailResends: { lies: "userKey", owner: "email" },
  emailTouchHeads: { lies: "userKey", owner: "email-feedback" },
  emailTouches: { lies: "userKey", owner: "email-feedback" },
  pushRecipients: { lies: "userKey", owner: "push" },
  pushSlots: { lies: "userKey", owner: "push" },
  pushTargets: { lies: "userKey", owner: "push" },
  pushAttempts: { lies: "userKey", owner: "push" },
  pushOutcomes: { lies: "userKey", owner: "push" },
  pushObservations: { lies: "userKey", owner: "observations" },
  pushEngagements: { lies: "userKey", owner: "observations" },
  pushConversions: { lies: "userKey", owner: "push" },

  installations: { lies: "installationKey", owner: "installations" },
  installationAcknowledgements: { lies: "installationKey", owner: "installations" },
  installationTokens: { lies: "tokenKey", owner: "installations" },
  emailAddresses: { lies: "addressKey", owner: "addresses" },
  erasedMessages: { lies: "messageKey", owner: "email" },

  activeUserCounts: { lies: "counter", owner: "usage" },
  campaignStats: { lies: "counter", owner: "deliveries" },
  emailCappedCounts: { lies: "counter", owner: "email" },
  rollupNotes: { lies: "counter", owner: "rollups" },

  organizations: { lies: "reference", owner: "access" },
  organizationSettings: { lies: "reference", owner: "settings" },
  projects: { lies: "reference", owner: "access" },
  apiKeys: { lies: "reference", owner: "access" },
  identitySecrets: { lies: "reference", owner: "access" },
  settings: { lies: "reference", owner: "settings" },
  settingChanges: { lies: "reference", owner: "settings" },
  goals: { lies: "reference", owner: "goals" },
  campaigns: { lies: "reference", owner: "campaigns" },
  variants: { lies: "reference", owner: "campaigns" },
  campaignSweeps: { lies: "reference", owner: "deliveries" },
  segments: { lies: "reference", owner: "segments" },
  agentRuns: { lies: "reference", owner: "runs" },
  audienceVersions: { lies: "reference", owner: "segments" },
  media: { lies: "reference", owner: "media" },
  dkimKeys: { lies: "reference", owner: "settings" },
  addressIntakes: { lies: "reference", owner: "email" },
  pushCredentials: { lies: "reference", owner: "push-credentials" },
  pushDefinitions: { lies: "reference", owner: "push" },
  pushTests: { lies: "reference", owner: "push" },
  suppressionChanges: { lies: "reference", owner: "addresses" },
  usageCatchUps: { lies: "reference", owner: "usage" },
  eventNames: { lies: "reference", owner: "rollups" },
  eventProperties: { lies: "reference", owner: "rollups" },
  eventDays: { lies: "reference", owner: "rollups" },
  traitKeys: { lies: "reference", owner: "rollups" },
  traitValues: { lies: "reference", owner: "rollups" },
  crowdedTraits: { lies: "reference", owner: "rollups" },
  deliveryDays: { lies: "reference", owner: "rollups" },

  demoPushes: { lies: "local", owner: "demo" },
  demoShop: { lies: "local", owner: "demo" },
  emailTestPaces: { lies: "local", owner: "email" },
  emailThrottles: { lies: "local", owner: "email" },
  idempotencyKeys: { lies: "local", owner: "platform" },
  loopTurns: { lies: "local", owner: "platform" },
  migrations: { lies: "local", owner: "platform" },
  outboxMessages: { lies: "local", owner: "transport" },
  processes: { lies: "local", owner: "platform" },
  reportTokens: { lies: "local", owner: "email-feedback" },
  secretKeyCanary: { lies: "local", owner: "platform" },
  sharedBudgets: { lies: "local", owner: "platform" },
} as const satisfies Record<keyof Tables, Declared>;

/** The tables whose rows have a key, with that key. */
export const keyedTables = Object.entries(placement).flatMap(([table, { lies }]) =>
  lies.endsWith("Key") ? [{ table, key: lies }] : [],
);
