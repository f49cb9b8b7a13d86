import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { wordOps } from "@tidings/client/word-ops";
import { useNamed } from "../../platform/address.ts";
import type { Goal } from "../../platform/api-types.ts";
import { isRefused } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";
import { instantOf, timeOf } from "../../platform/times.ts";
import { useIsBelowLaunchRole } from "../../ui/campaigns/launch-role.tsx";
import { Changed, Theirs } from "../../ui/changes/changes.tsx";
import { Discard } from "../../ui/form/discard.tsx";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useChangedBy } from "../../ui/form/use-changed-by.ts";
import { useForm } from "../../ui/form/use-form.ts";
import { GUARDRAIL_KINDS, isGuardrail } from "../../ui/guardrails/kinds.ts";
import { guardrailName } from "../../ui/guardrails/names.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { namedFault } from "./parts/fault.ts";
import { GoalForm } from "./parts/form.tsx";
import { GOAL_STALE } from "./parts/stale.ts";
import { draftFromGoal, type GoalDraft, goalPatch, isText, overlapOf, typedIn } from "./rules.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  goal: Goal;
  /** Reads the goal as it is now. */
  readAgain: () => Promise<Goal>;
};

/** What people change a goal by. */
const CHANGES = ["updateGoal"] as const;

const labelOf = (field: string): string => words.fields[field] ?? guardrailName(field);

/** What is written in a field, as a person reads it. */
function inWords(draft: GoalDraft, field: string): string {
  if (field === "approvalMode") return words.modes[draft.approvalMode];
  const typed = typedIn(draft, field);
  const at = isGuardrail(field) && GUARDRAIL_KINDS[field] === "instant" ? instantOf(typed) : null;
  return at === null || Number.isNaN(at) ? typed || words.noLimits : timeOf(at);
}

type StaleProps = {
  fields: readonly string[];
  draft: GoalDraft;
  goal: Goal;
  changedBy: string;
  takeTheirs: () => void;
};

/** Which fields were changed meanwhile as well, what would become of theirs, and the way to theirs. */
function Stale({ fields, draft, goal, changedBy, takeTheirs }: StaleProps) {
  const theirs = draftFromGoal(goal);
  return (
    <Alert color="yellow" title={words.staleTitle}>
      <Stack align="flex-start">
        <Text size="sm">
          {changedBy} {words.staleAbout(fields.map(labelOf).join(", "))}
        </Text>
        <Theirs>
          <Stack gap="sm">
            {fields.map((field) => (
              <Changed
                key={field}
                name={labelOf(field)}
                before={inWords(theirs, field)}
                after={inWords(draft, field)}
                ops={isText(field) ? wordOps(typedIn(theirs, field), typedIn(draft, field)) : undefined}
              />
            ))}
          </Stack>
        </Theirs>
        <Discard label={words.takeTheirs} discard={takeTheirs} />
      </Stack>
    </Alert>
  );
}

function Editing({ scope, goal, readAgain }: Props) {
  const path = { id: goal.id };
  const isBelow = useIsBelowLaunchRole(scope);
  const form = useForm({
    scope,
    operation: "updateGoal",
    stale: GOAL_STALE,
    key: `goal ${goal.id}`,
    initial: () => draftFromGoal(goal),
  });
  const { draft, change, isSaving, error } = form;
  // While it is saved, what is newer is one's own.
  const overlap = isSaving ? [] : overlapOf(draft, goal);
  const fault = isRefused(error, 409) && overlap.length > 0 ? null : form.fault;
  const changedBy = useChangedBy(scope, CHANGES, goal.id, {
    revision: String((draft.base ?? goal).revision),
    isInSync: (draft.base ?? goal).revision === goal.revision,
  });
  const isUnchanged = goalPatch(draft, goal) === null;

  /** Sends what was written as a change of `now`. Where another person was faster, it goes on from theirs, unless both changed the same field. */
  async function send(now: Goal): Promise<void> {
    const body = goalPatch(draft, now);
    if (body === null) return;
    try {
      await form.send({ path, body: { ...body, expectedRevision: now.revision } });
    } catch (refusal) {
      if (!isRefused(refusal, 409)) throw refusal;
      const theirs = await readAgain();
      if (theirs.revision === now.revision || overlapOf(draft, theirs).length > 0) throw refusal;
      await send(theirs);
    }
  }

  const save = async (): Promise<void> => {
    await send(goal);
    await form.done({ to: `/p/${scope}/goals/${goal.id}`, message: words.savedIt });
  };
  return (
    <Stack gap="lg">
      <FormActions form={form} label={words.save} save={save} discard={words.discard} disabled={isUnchanged}>
        {isUnchanged && (
          <Text size="sm" c="dimmed">
            {words.unchanged}
          </Text>
        )}
      </FormActions>
      {overlap.length > 0 && (
        <Stale fields={overlap} draft={draft} goal={goal} changedBy={changedBy} takeTheirs={form.startOver} />
      )}
      {fault !== null && <Alert color="red" title={namedFault(fault)} role="alert" />}
      {isBelow && <Alert color="yellow" title={words.needsApprover} />}
      <GoalForm scope={scope} draft={draft} change={change} fault={fault} />
    </Stack>
  );
}

/** A goal as a person changes it. */
export function EditGoalPage({ scope }: { scope: string }) {
  const id = useNamed("goalId");
  const found = useOperation(scope, "getGoal", { path: { id } });
  const readAgain = async (): Promise<Goal> => {
    const { data } = await found.refetch({ throwOnError: true });
    if (data === undefined) throw new Error("The goal was read, and is not there.");
    return data.goal;
  };
  return (
    <Page title={words.editTitle(found.data?.goal.name ?? "")} about={words.editAbout}>
      <Anchor component={Link} to={`/p/${scope}/goals/${id}`} size="sm">
        {words.backTo}
      </Anchor>
      <Loaded query={found}>
        {({ goal }) => <Editing key={goal.id} scope={scope} goal={goal} readAgain={readAgain} />}
      </Loaded>
    </Page>
  );
}
