import { processes } from "./processes.ts";
import { resource } from "./runtime.ts";

/** `processes`, under the names that sending mail and push still uses. */
export const presence = resource((app) => {
  const { leaseOwner, ownsLease, reapable } = app.get(processes);
  return { fence: leaseOwner, holds: ownsLease, judge: reapable };
});
