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

/** Every table of the schema. One that is missing here does not compile; docs/self-hosting.md shows the same list. */
export const placement = {
  users: "userKey",
  events: "userKey",
  eventCounts: "userKey",
  activeUsers: "userKey",
  deliveries: "userKey",
  feedbackReceipts: "userKey",
  erasedUsers: "userKey",
  erasingUsers: "userKey",
  frozenEvents: "userKey",
  emailSends: "userKey",
  emailAttempts: "userKey",
  emailOutcomes: "userKey",
  emailResends: "userKey",
  emailTouchHeads: "userKey",
  emailTouches: "userKey",
  pushRecipients: "userKey",
  pushSlots: "userKey",
  pushTargets: "userKey",
  pushAttempts: "userKey",
  pushOutcomes: "userKey",
  pushObservations: "userKey",
  pushEngagements: "userKey",
  pushConversions: "userKey",

  installations: "installationKey",
  installationAcknowledgements: "installationKey",
  installationTokens: "tokenKey",
  emailAddresses: "addressKey",
  erasedMessages: "messageKey",

  activeUserCounts: "counter",
  campaignStats: "counter",
  emailCappedCounts: "counter",
  rollupNotes: "counter",

  organizations: "reference",
  organizationSettings: "reference",
  projects: "reference",
  apiKeys: "reference",
  identitySecrets: "reference",
  settings: "reference",
  settingChanges: "reference",
  goals: "reference",
  campaigns: "reference",
  variants: "reference",
  segments: "reference",
  agentRuns: "reference",
  audienceVersions: "reference",
  media: "reference",
  dkimKeys: "reference",
  emailPlans: "reference",
  addressIntakes: "reference",
  pushPlans: "reference",
  pushCredentials: "reference",
  pushDefinitions: "reference",
  pushTests: "reference",
  suppressionChanges: "reference",
  usageCatchUps: "reference",
  eventNames: "reference",
  eventProperties: "reference",
  eventDays: "reference",
  traitKeys: "reference",
  traitValues: "reference",
  crowdedTraits: "reference",
  deliveryDays: "reference",

  demoPushes: "local",
  demoShop: "local",
  emailTestPaces: "local",
  emailThrottles: "local",
  idempotencyKeys: "local",
  loopTurns: "local",
  migrations: "local",
  outboxMessages: "local",
  processes: "local",
  reportTokens: "local",
  secretKeyCanary: "local",
  sharedBudgets: "local",
} as const satisfies Record<keyof Tables, Place>;

/** The tables whose rows have a key, with that key. */
export const keyedTables = Object.entries(placement).filter(
  (entry): entry is [keyof typeof placement, Extract<Place, `${string}Key`>] => entry[1].endsWith("Key"),
);
