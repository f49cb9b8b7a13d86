import type { Feature } from "../../../domain/feature.ts";
import { createGoal } from "./create-goal.ts";
import { getGoal } from "./get-goal.ts";
import { listGoals } from "./list-goals.ts";
import { tables } from "./tables.pure.ts";
import { updateGoal } from "./update-goal.ts";

export const goals: Feature = {
  room: "campaigns/goals",
  tables,
  endpoints: [createGoal, listGoals, getGoal, updateGoal],
  tags: { Goals: "What you want to happen: an event that means success." },
};
