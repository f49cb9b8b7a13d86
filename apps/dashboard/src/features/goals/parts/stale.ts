/** What a change of a goal makes old. */
export const GOAL_STALE = [
  "getGoal",
  "listGoals",
  "getGoalConversions",
  "getGoalLimits",
  "listAuditEntries",
] as const;
