import type { Page } from "../../platform/pages.ts";

export const goals: Page = {
  path: "goals",
  label: "Goals",
  section: "messages",
  also: "conversions targets",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).GoalsPage,
};

export const goal: Page = {
  path: "goals/$goalId",
  label: "Goal",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./goal.tsx")).GoalPage,
};

export const newGoal: Page = {
  path: "goals/new",
  label: "New goal",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./new.tsx")).NewGoalPage,
};

export const editGoal: Page = {
  path: "goals/$goalId/edit",
  label: "Edit",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./edit.tsx")).EditGoalPage,
};
