import { createBackoffs } from "../../../../platform/outbound/backoff.ts";
import { resource } from "../../../../platform/runtime.ts";

/** Providers that this process leaves alone for a while, by the credential that it would come with. */
export const providerBackoffs = resource((app) => createBackoffs(app.clock));

export const providerKey = ({ id, revision }: { id: string; revision: number }): string =>
  `${id} ${revision}`;
