import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  // An id that no installation has yet.
  bootstrapInstallation: ({ installationId }) => ({
    inExample: { installationId: `new-${installationId}` },
  }),
  listInstallations: ({ userId }) => ({ query: { userId } }),
};
