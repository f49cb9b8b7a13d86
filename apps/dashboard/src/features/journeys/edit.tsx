import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { Discard } from "../../ui/form/discard.tsx";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useChangedBy } from "../../ui/form/use-changed-by.ts";
import { useForm } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { basedOn, draftFromJourney, journeyPatch, withoutIds } from "./draft.ts";
import { JourneyForm } from "./parts/form.tsx";
import { Inside } from "./parts/inside.tsx";
import { JOURNEY_STALE } from "./parts/stale.ts";
import { faultInWords, type Journey, peopleInside } from "./rules.ts";
import { words } from "./words.ts";

type Props = { scope: string; journey: Journey };

/** What people change a journey by. */
const CHANGES = ["updateJourney"] as const;

function Editing({ scope, journey }: Props) {
  const { id, version } = journey;
  const form = useForm({
    scope,
    operation: "updateJourney",
    stale: JOURNEY_STALE,
    key: `journey ${id}`,
    initial: () => draftFromJourney(journey),
  });
  const { change, isUnsaved, isSaving } = form;
  const inside = peopleInside(form.error);
  const draft = withoutIds(form.draft, inside?.map((step) => step.id) ?? []);
  const patch = journeyPatch(draft, journey);
  // While it is saved, the newer version is one's own.
  const isStale = isUnsaved() && !isSaving && draft.base !== version;
  const changedBy = useChangedBy(scope, CHANGES, id, {
    revision: String(draft.base),
    isInSync: draft.base === version,
  });
  const fault = isStale || inside !== null ? null : form.fault;
  const save = async (): Promise<void> => {
    if (patch === null) return;
    await form.send({ path: { id }, body: patch });
    await form.done({ to: `/p/${scope}/journeys/${id}`, message: words.savedIt });
  };
  return (
    <Stack gap="lg">
      <FormActions
        form={form}
        label={words.save}
        save={save}
        discard={words.discard}
        disabled={patch === null || isStale}
      >
        {patch === null && !isUnsaved() && (
          <Text size="sm" c="dimmed">
            {words.unchanged}
          </Text>
        )}
      </FormActions>
      {isStale && (
        <Alert color="yellow" title={words.staleTitle}>
          <Stack align="flex-start">
            <Text size="sm">
              {changedBy} {words.staleAbout}
            </Text>
            <Group>
              <Discard label={words.takeTheirs} discard={form.startOver} />
              <Button onClick={() => form.goOn(basedOn(draft, journey))}>{words.keepMine}</Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {inside !== null && (
        <Inside scope={scope} journey={journey} draft={draft} inside={inside} change={change} />
      )}
      {fault !== null && <Alert color="red" title={faultInWords(fault)} role="alert" />}
      <JourneyForm scope={scope} draft={draft} change={change} fault={fault} />
    </Stack>
  );
}

/** A journey as a person changes it, also while users are inside. */
export function EditJourneyPage({ scope }: { scope: string }) {
  const id = useNamed("journeyId");
  const found = useOperation(scope, "getJourney", { path: { id } });
  return (
    <Page title={words.editTitle(found.data?.journey.name ?? "")} about={words.editAbout}>
      <Anchor component={Link} to={`/p/${scope}/journeys/${id}`} size="sm">
        {words.backTo}
      </Anchor>
      <Loaded query={found}>
        {({ journey }) =>
          journey.status === "ended" ? (
            <Text>{words.isEnded}</Text>
          ) : (
            <Editing key={journey.id} scope={scope} journey={journey} />
          )
        }
      </Loaded>
    </Page>
  );
}
