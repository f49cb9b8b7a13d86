import type { PeopleSamples } from "../../../test/room-samples.ts";

export const peopleSamples: PeopleSamples = { exportAuditEntries: () => ({ query: { format: "csv" } }) };
