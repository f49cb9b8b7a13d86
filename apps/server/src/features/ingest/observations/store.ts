import type { DeliveryRef, InstallationRef, UserRef } from "../../../domain/ids.ts";
import type { Connection } from "../../../platform/db/db.ts";
import { rowsStatement, valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { DELIVERY_COLUMNS, deliveryKey, lockedInOrder, sameDelivery } from "../../deliveries/public.ts";
import { sameSlot } from "../../push/sending/public.ts";
import type { ReportedCommand } from "./rules.ts";

/** Locks a user until the transaction ends. Other writes for this user, and erasing, wait. */
export const lockObservedUser = valuesStatement<UserRef & { projectId: string }, Record<never, never>>(
  { name: "lock_observed_user", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid" },
  (user) => `
  select from ${t.users} where lane = ${user.lane} and user_key = ${user.userKey} and project_id = ${user.projectId}
  for no key update`,
);

export type LockedDevice = {
  userKey: string | null;
  externalId: string | null;
  bindingGeneration: number;
  createdAt: number;
};

const lockDeviceRow = valuesStatement<
  InstallationRef & { projectId: string; verifier: Buffer },
  LockedDevice
>(
  { name: "lock_observing_device", reach: "key" },
  { lane: "int2", installationKey: "uuid", projectId: "uuid", verifier: "bytea" },
  (its) => `
  select user_key as "userKey", user_external_id as "externalId", binding_generation as "bindingGeneration",
    created_at as "createdAt"
  from ${t.installations}
  where lane = ${its.lane} and installation_key = ${its.installationKey} and project_id = ${its.projectId}
    and verifier = ${its.verifier}
  for no key update`,
);

/** Locks an installation until the transaction ends; null where it was deleted, or registered again with another capability. */
export async function lockDevice(
  client: Connection,
  projectId: string,
  { lane, installationKey }: InstallationRef,
  verifier: Buffer,
): Promise<LockedDevice | null> {
  const rows = await lockDeviceRow(client, { lane, installationKey, projectId, verifier });
  return rows[0] ?? null;
}

/** An installation while it is bound to one user: it numbers its commands from 1. */
export type Binding = UserRef & { projectId: string; installationKey: string; bindingGeneration: number };

const findReportedRows = valuesStatement<
  Binding & { sequences: readonly number[]; ids: readonly string[] },
  ReportedCommand & { isNamed: boolean }
>(
  { name: "find_reported", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    projectId: "uuid",
    installationKey: "uuid",
    bindingGeneration: "int8",
    sequences: "int8[]",
    ids: "text[]",
  },
  ({ sequences, ids, ...binding }) => {
    const isTheirs = `lane = ${binding.lane} and user_key = ${binding.userKey} and project_id = ${binding.projectId}
      and installation_key = ${binding.installationKey} and binding_generation = ${binding.bindingGeneration}`;
    return `
  with its as (
    select sequence, command_id, digest from ${t.pushObservations} where ${isTheirs}
  ), newest as (
    select * from ${t.pushObservations} where ${isTheirs} order by sequence desc limit 1
  )
  select sequence, command_id as id, digest, true as "isNamed" from its
  where sequence = any(${sequences}) or command_id = any(${ids})
  union all select sequence, command_id, digest, false from newest`;
  },
);

/** The last stored sequence of a binding, and the stored commands with a sequence or an id of the given ones. */
export async function findReported(
  client: Connection,
  binding: Binding,
  commands: readonly ReportedCommand[],
): Promise<{ last: number; kept: ReportedCommand[] }> {
  const rows = await findReportedRows(client, {
    ...binding,
    sequences: commands.map(({ sequence }) => sequence),
    ids: commands.map(({ id }) => id),
  });
  return {
    last: rows.find(({ isNamed }) => !isNamed)?.sequence ?? 0,
    kept: rows.filter(({ isNamed }) => isNamed),
  };
}

/** A push as a command names it: the parts of the ids of target and attempt. */
export type ReportedPush = UserRef & {
  projectId: string;
  installationKey: string;
  bindingGeneration: number;
  slotKey: string;
  generation: number;
  ordinal: number;
};

/** A push that was sent to the installation under the binding. `ord` is the position in the request, from 1. */
export type Sent = {
  ord: number;
  slotKey: string;
  campaignId: string;
  occasion: number;
  isTest: boolean;
  /** Ids of the buttons that were sent. */
  actionIds: string[];
  /** Whether its delivery is recorded as sent. */
  isKnownSent: boolean;
};

/** Finds the pushes that commands name; those that were not sent to the installation are left out. */
export const findSent = rowsStatement<ReportedPush, Sent>(
  { name: "find_sent_pushes", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    projectId: "uuid",
    installationKey: "uuid",
    bindingGeneration: "int8",
    slotKey: "uuid",
    generation: "int4",
    ordinal: "int4",
  },
  `
  select i.ord, s.slot_key as "slotKey", s.campaign_id as "campaignId", s.occasion, s.is_test as "isTest",
    jsonb_path_query_array(coalesce(t.content, d.content), '$.actions[*].id') as "actionIds",
    v.sent_at is not null as "isKnownSent"
  from input i
  join ${t.pushSlots} s
    on ${sameSlot("s", "i")} and s.project_id = i.project_id
      and s.installation_key = i.installation_key and s.binding_generation = i.binding_generation
  join ${t.pushAttempts} a
    on ${sameSlot("a", "s")} and a.ordinal = i.ordinal
      and a.generation = i.generation
  join ${t.pushTargets} t
    on ${sameSlot("t", "s")} and t.generation = i.generation
  join ${t.pushDefinitions} d on d.id = t.definition_id
  left join ${t.deliveries} v on ${sameDelivery("v", "s")} and not s.is_test
  order by i.ord`,
);

/** A command to keep. `command` and `digest` are its JSON and the SHA-256 of that; `at` is epoch milliseconds. */
export type NewObservation = Binding & {
  id: string;
  sequence: number;
  commandId: string;
  digest: string;
  kind: string;
  command: string;
  installationId: string;
  at: number;
  /** The campaign that the command is about; null for an event. */
  campaignId: string | null;
  slotKey: string | null;
  isTest: boolean;
};

/** Stores commands; answers, in order, their numbers in the server's order of observations and conversions. */
export const insertObservations = rowsStatement<NewObservation, { order: number }>(
  { name: "insert_push_observations", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    projectId: "uuid",
    installationKey: "uuid",
    bindingGeneration: "int8",
    id: "uuid",
    sequence: "int8",
    commandId: "text",
    digest: "text",
    kind: "text",
    command: "jsonb",
    installationId: "text",
    at: "int8",
    campaignId: "uuid",
    slotKey: "uuid",
    isTest: "bool",
  },
  `,
  kept as (
    insert into ${t.pushObservations} (lane, user_key, installation_key, binding_generation, sequence, project_id, id, command_id,
      digest, kind, command, installation_id, received_at, campaign_id, slot_key, is_test)
    select lane, user_key, installation_key, binding_generation, sequence, project_id, id, command_id, digest, kind, command,
      installation_id, at, campaign_id, slot_key, is_test
    from input order by ord
    returning sequence, received_order
  )
  select received_order as "order" from kept order by sequence`,
);

/** A tap or an action. `id` is that of its observation, `engagedOrder` its number in the server's order. */
export type NewEngagement = DeliveryRef & {
  id: string;
  slotKey: string;
  at: number;
  engagedOrder: number;
};

/** Stores the first tap or action on a delivery. */
export const insertEngagements = rowsStatement<NewEngagement, Record<never, never>>(
  { name: "insert_push_engagements", reach: "key" },
  {
    ...DELIVERY_COLUMNS,
    id: "uuid",
    slotKey: "uuid",
    at: "int8",
    engagedOrder: "int8",
  },
  `
  insert into ${t.pushEngagements} (${deliveryKey()}, project_id, id, slot_key, engaged_at, engaged_order)
  select ${deliveryKey()}, project_id, id, slot_key, at, engaged_order from input i order by i.ord
  on conflict do nothing`,
);

/** Locks a user's deliveries until the transaction ends, in the order in which all lock them: for changes in several statements. */
export const lockUserDeliveries = valuesStatement<UserRef & { projectId: string }, Record<never, never>>(
  { name: "lock_observed_deliveries", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid" },
  (user) => `
  select from ${t.deliveries} d
  where d.lane = ${user.lane} and d.user_key = ${user.userKey} and d.project_id = ${user.projectId}
  ${lockedInOrder("d")}`,
);
