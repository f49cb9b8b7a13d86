import type { Samples } from "../../../../test/room-samples.ts";

let apps = 0;

export const samples: Samples = {
  getPushKey: ({ siteId }) => ({ query: { appId: siteId } }),
  // An app that has no credential yet.
  putPushCredential: () => ({ inExample: { appId: `com.example.app${apps++}` } }),
};
