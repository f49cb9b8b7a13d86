/** What a change of a goal makes old. */
export const STALE = [
  "getGoal",
  "listGoals",
  "getGoalConversions",
  "getGoalLimits",
  "listAuditEntries",
] as const;
