import { NativeSelect } from "@mantine/core";
import { useOperation } from "../../platform/operations.ts";
import { Failed } from "../loaded.tsx";
import { words } from "./words.ts";

type Props = {
  scope: string;
  /** Null for none. */
  goalId: string | null;
  description?: string;
  error: string | undefined;
  change: (goalId: string | null) => void;
};

/** The goal of a campaign or a journey, of those that are active. */
export function GoalField({ scope, goalId, description, error, change }: Props) {
  const goals = useOperation(scope, "listGoals", { query: { status: "active" } });
  const known = goals.data?.goals ?? [];
  const isListed = goalId === null || known.some(({ id }) => id === goalId);
  // An archived goal is in no list, and what has it keeps it.
  const unlisted = useOperation(
    scope,
    "getGoal",
    { path: { id: goalId ?? "" } },
    { enabled: !isListed && goals.isSuccess },
  );
  return (
    <>
      <NativeSelect
        name="goalId"
        label={words.goal}
        {...(description !== undefined && { description })}
        error={error}
        data={[
          { value: "", label: words.noGoal },
          ...known.map(({ id, name }) => ({ value: id, label: name })),
          ...(isListed ? [] : [{ value: goalId, label: unlisted.data?.goal.name ?? "" }]),
        ]}
        value={goalId ?? ""}
        onChange={({ currentTarget: { value } }) => change(value === "" ? null : value)}
      />
      <Failed query={goals} />
    </>
  );
}
