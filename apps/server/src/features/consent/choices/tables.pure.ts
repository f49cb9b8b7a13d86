import { type RoomTables, USER_KEY } from "../../../domain/tables.ts";

export const tables: RoomTables = {
  topicChoices: {
    lies: "addressKey",
    inertTimestamps: ["chosen_at"],
    refersTo: ["topics"],
    exported: {
      columns: { topic_id: "id", address_key: "address key", lane: "lane of address_key" },
    },
  },
  pushTopicChoices: {
    lies: "userKey",
    inertTimestamps: ["chosen_at"],
    refersTo: ["topics"],
    exported: { columns: { ...USER_KEY, topic_id: "id" } },
  },
  consents: {
    lies: "reference",
    refersTo: ["topics"],
    exported: {
      columns: {
        id: "numbered anew",
        topic_id: "id",
        request_id: "opaque",
        address_key: "address key",
        address_lane: "lane of address_key",
        user_key: "user key",
        user_lane: "lane of user_key",
      },
      orderBy: "t.id",
    },
  },
};
