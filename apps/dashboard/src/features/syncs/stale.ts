/** What a change of a sync makes old. */
export const SYNC_READS = ["listSyncs", "getSync", "listSyncWindows", "getWaiting"] as const;
