import { createBackoffs } from "../../../../platform/outbound/backoff.ts";
import { resource } from "../../../../platform/runtime.ts";

/** The credentials with which this process backs off from their provider. */
export const providerBackoffs = resource((app) => createBackoffs(app.clock));

export const providerKey = ({ id, revision }: { id: string; revision: number }): string =>
  `${id} ${revision}`;
