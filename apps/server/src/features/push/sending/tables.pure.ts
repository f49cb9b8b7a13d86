import { DELIVERY_KEY, PAGE_OF_LARGE_ROWS, type RoomTables, SLOT_KEY } from "../../../domain/tables.ts";

declare module "../../../domain/ids.ts" {
  interface IdPrefixes {
    tst: "pushTests";
    pcv: "pushConversions";
  }
}

const bytesOf = (value: string): string => `convert_to(${value}::text, 'UTF8')`;

/** SQL of the `send_id` of the row `a` of a delivery on a later occasion, as `sendIdOf` (record-ids.ts) makes it. */
export const laterSendIdSql = (a: string): string =>
  `encode(substr(sha256(${bytesOf(`${a}.campaign_id`)} || '\\x00' || ${bytesOf(`${a}.occasion`)}), 1, 16), 'hex')::uuid`;

/** On a later occasion the id follows from that of the campaign, which is another one by now. Older files have no occasions. */
const sendId = `case when i.occasion > 0 then ${laterSendIdSql("i")} else i.send_id end`;

export const tables: RoomTables = {
  pushRecipients: {
    lies: "userKey",
    inertTimestamps: ["checked_at", "created_at"],
    exported: {
      columns: { ...DELIVERY_KEY, send_id: "id", variant_id: "id" },
      // A user who waits has no variant. Older files name the one that was drawn when they began to wait.
      set: { send_id: sendId, variant_id: `case when i.state = 'active' then i.variant_id end` },
    },
  },
  pushSlots: {
    lies: "userKey",
    inertTimestamps: ["created_at", "receipt_at"],
    exported: {
      brings: ["slot"],
      columns: {
        ...SLOT_KEY,
        send_id: "id",
        installation_key: "installation key",
        installation_lane: "lane of installation_key",
        lease_owner: "opaque",
      },
      formerly: { push_slots: { fence: "lease_owner" } },
      // A test is sent whatever the status of its campaign.
      set: {
        send_id: sendId,
        state: "case when i.is_test and i.state in ('ready', 'waiting') then 'closed' else i.state end",
        reason: "case when i.is_test and i.state in ('ready', 'waiting') then 'expired' else i.reason end",
      },
    },
  },
  pushTargets: {
    lies: "userKey",
    inertTimestamps: ["created_at"],
    exported: {
      columns: {
        ...SLOT_KEY,
        definition_id: "id",
        credential_id: "id",
        created_order: "order",
        content: "ids within",
      },
    },
  },
  pushAttempts: {
    lies: "userKey",
    exported: {
      columns: { ...SLOT_KEY, lease_owner: "opaque" },
      formerly: { push_attempts: { fence: "lease_owner" } },
    },
  },
  pushOutcomes: { lies: "userKey", inertTimestamps: ["observed_at"], exported: { columns: SLOT_KEY } },
  pushConversions: {
    lies: "userKey",
    inertTimestamps: ["converted_at"],
    ids: "pcv",
    exported: {
      columns: { ...DELIVERY_KEY, id: "id", engagement_id: "id" },
    },
  },
  pushDefinitions: {
    lies: "reference",
    ids: null,
    inertTimestamps: ["created_at"],
    refersTo: ["campaigns", "variants"],
    exported: {
      columns: {
        id: "id",
        campaign_id: "id",
        variant_id: "id",
        content: "ids within",
        settings: "ids within",
        fingerprint: "fingerprint",
      },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  pushTests: {
    lies: "reference",
    inertTimestamps: ["created_at"],
    ids: "tst",
    refersTo: ["campaigns"],
    exported: {
      columns: { ...SLOT_KEY, id: "id" },
    },
  },
};
