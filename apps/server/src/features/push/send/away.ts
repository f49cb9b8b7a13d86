import { createAway } from "../../../platform/away.ts";
import { resource } from "../../../platform/runtime.ts";

/** Providers that this process leaves alone for a while, by the credential that it would come with. */
export const providersAway = resource((app) => createAway(app.clock));

/** Campaigns that failed by themselves, and are left alone for a while. */
export const campaignsAway = resource((app) => createAway(app.clock));

export const providerKey = ({ id, revision }: { id: string; revision: number }): string =>
  `${id} ${revision}`;
