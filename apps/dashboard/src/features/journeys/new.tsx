import { Alert, Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Page } from "../../ui/page.tsx";
import { journeyBody, newJourneyDraft } from "./draft.ts";
import { JourneyForm } from "./parts/form.tsx";
import { JOURNEY_STALE } from "./parts/stale.ts";
import { faultInWords } from "./rules.ts";
import { words } from "./words.ts";

/** A journey that is not made yet. What is written stays in this tab until it is. */
export function NewJourneyPage({ scope }: { scope: string }) {
  const form = useForm({
    scope,
    operation: "createJourney",
    stale: JOURNEY_STALE,
    key: `new journey ${scope}`,
    initial: newJourneyDraft,
  });
  const { draft, change, fault } = form;
  const body = journeyBody(draft);
  const save = async (): Promise<void> => {
    if (body === null) return;
    const { journey } = await form.send({ body });
    await form.done({ to: `/p/${scope}/journeys/${journey.id}`, message: words.madeIt, replace: true });
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
      <Anchor component={Link} to={`/p/${scope}/journeys`} size="sm">
        {words.back}
      </Anchor>
      {fault !== null && <Alert color="red" title={faultInWords(fault)} role="alert" />}
      <JourneyForm scope={scope} draft={draft} change={change} fault={fault} />
    </Page>
  );
}
