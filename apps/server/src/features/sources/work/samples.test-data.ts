import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  reconcileRef: ({ toReconcile: { refId, ...lease } }) => ({
    path: { refId },
    inExample: { ...lease, shas: [lease.toSha] },
  }),
};
