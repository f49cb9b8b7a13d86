import { Alert, Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Page } from "../../ui/page.tsx";
import { namedFault } from "./parts/fault.ts";
import { GoalForm } from "./parts/form.tsx";
import { GOAL_STALE } from "./parts/stale.ts";
import { goalBody, newGoalDraft } from "./rules.ts";
import { words } from "./words.ts";

/** A goal that is not made yet. What is written stays in this tab until it is. */
export function NewGoalPage({ scope }: { scope: string }) {
  const form = useForm({
    scope,
    operation: "createGoal",
    stale: GOAL_STALE,
    key: `new goal ${scope}`,
    initial: newGoalDraft,
  });
  const { draft, change, fault } = form;
  const body = goalBody(draft);
  const save = async (): Promise<void> => {
    if (body === null) return;
    const { goal } = await form.send({ body });
    await form.done({ to: `/p/${scope}/goals/${goal.id}`, message: words.madeIt, replace: true });
  };
  return (
    <Page
      about={words.newAbout}
      actions={
        <FormActions
          form={form}
          label={words.make}
          save={save}
          discard={words.startOver}
          disabled={body === null}
        />
      }
    >
      <Anchor component={Link} to={`/p/${scope}/goals`} size="sm">
        {words.back}
      </Anchor>
      {fault !== null && <Alert color="red" title={namedFault(fault)} role="alert" />}
      <GoalForm scope={scope} draft={draft} change={change} fault={fault} />
    </Page>
  );
}
