import type { Feature } from "../../../platform/feature.ts";
import { createGoal } from "./create-goal.ts";
import { getGoal } from "./get-goal.ts";
import { listGoals } from "./list-goals.ts";
import { updateGoal } from "./update-goal.ts";

export const goals: Feature = {
  endpoints: [createGoal, listGoals, getGoal, updateGoal],
  tags: { Goals: "What you want to happen: an event that means success." },
};
