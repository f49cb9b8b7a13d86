import { PAGE_OF_LARGE_ROWS, type RoomTables } from "../../../domain/tables.ts";

/** A field of the installation that an ended token belongs to. */
const ofInstallation = (field: string): string =>
  `(select n.${field} from installations n where n.lane = t.lane and n.installation_key = t.installation_key)`;

export const tables: RoomTables = {
  installations: {
    lies: "installationKey",
    inertTimestamps: ["created_at"],
    exported: {
      brings: ["installation", "observer", "token"],
      columns: {
        installation_key: "installation key",
        lane: "lane of installation_key",
        verifier: "bytes",
        user_key: "user key",
        user_lane: "lane of user_key",
        token_key: "token key",
        token_lane: "lane of token_key",
        capabilities: "data",
      },
      beside: {
        token: `(select k.token from installation_tokens k where k.lane = t.token_lane and k.token_key = t.token_key)`,
      },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  installationAcknowledgements: {
    lies: "installationKey",
    inertTimestamps: ["last_active_at"],
    exported: {
      columns: {
        installation_key: "installation key",
        lane: "lane of installation_key",
        digest: "bytes",
        replaced_user_key: "user key",
        replaced_user_lane: "lane of replaced_user_key",
        replaced_capabilities: "data",
      },
      page: PAGE_OF_LARGE_ROWS,
    },
  },
  installationTokens: {
    lies: "tokenKey",
    exported: {
      columns: {
        token_key: "token key",
        lane: "lane of token_key",
        installation_key: "installation key",
        installation_lane: "lane of installation_key",
      },
    },
  },
  installationEndedTokens: {
    lies: "installationKey",
    inertTimestamps: ["ended_at"],
    exported: {
      brings: ["token"],
      columns: {
        installation_key: "installation key",
        lane: "lane of installation_key",
        token_key: "token key",
        token_lane: "lane of token_key",
        credential_id: "id",
      },
      beside: {
        app_id: ofInstallation("app_id"),
        platform: ofInstallation("platform"),
        environment: ofInstallation("environment"),
      },
    },
  },
};
