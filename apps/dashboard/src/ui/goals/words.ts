export const words = { goal: "Goal", noGoal: "No goal" } as const;
