import { Select, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { beginningOf } from "@tidings/client/text";
import { type FormEvent, useState } from "react";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { instantOf, localTimeOf, zoneName } from "../../../platform/times.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import type { Planned } from "../rules.ts";
import { words } from "../words.ts";

type Chosen = Pick<Planned, "campaignId" | "name" | "nextEvaluationAt">;

const SHOWN = 100;
/** As much of what is typed as the server looks for. */
const MAX_SOUGHT = 80;

type ChooseProps = { scope: string; value: string | null; choose: (id: string | null) => void };

/** Chooses a campaign that has a goal and has not ended: no other one is evaluated. */
function ChooseCampaign({ scope, value, choose }: ChooseProps) {
  const [typed, setTyped] = useState("");
  const found = useOperation(scope, "listCampaigns", {
    query: { perPage: SHOWN, ...(typed !== "" && { q: beginningOf(typed, MAX_SOUGHT) }) },
  });
  const campaigns = (found.data?.campaigns ?? []).filter(
    ({ goalId, status }) => goalId !== null && status !== "ended",
  );
  return (
    <Select
      label={words.planCampaign}
      data={campaigns.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={choose}
      searchable
      onSearchChange={setTyped}
      required
    />
  );
}

function PlanForm({ scope, campaign, close }: { scope: string; campaign: Chosen | null; close: () => void }) {
  const [campaignId, choose] = useState(campaign?.campaignId ?? null);
  const [at, setAt] = useState(() => localTimeOf(campaign?.nextEvaluationAt ?? Date.now()));
  const planning = useChange(scope, "scheduleEvaluation", ["listEvaluations", "listAuditEntries"]);
  const nextEvaluationAt = instantOf(at);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    if (campaignId === null || nextEvaluationAt === null) return;
    planning.mutate(
      { path: { id: campaignId }, body: { nextEvaluationAt } },
      {
        onSuccess: () => {
          close();
          notifications.show({ message: words.planned });
        },
      },
    );
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <Text>{words.planAbout}</Text>
        {campaign === null ? (
          <ChooseCampaign scope={scope} value={campaignId} choose={choose} />
        ) : (
          <Text fw={600}>{campaign.name}</Text>
        )}
        <TextInput
          type="datetime-local"
          label={words.planAt}
          description={words.zone(zoneName())}
          value={at}
          onChange={({ currentTarget }) => setAt(currentTarget.value)}
          required
        />
        <DialogEnd
          change={planning}
          action={words.save}
          close={close}
          disabled={campaignId === null || nextEvaluationAt === null}
        />
      </Stack>
    </form>
  );
}

/** Says when an agent evaluates a campaign next: this one, or one that is chosen. */
export function EvaluationPlan({ scope, campaign }: { scope: string; campaign: Chosen | null }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        variant="default"
        size={campaign === null ? "sm" : "xs"}
        onClick={() => setOpen(true)}
        {...(campaign !== null && { "aria-label": words.setOf(campaign.name) })}
      >
        {campaign === null ? words.plan : words.set}
      </RoleButton>
      <Dialog opened={isOpen} close={close} title={words.planTitle}>
        <PlanForm scope={scope} campaign={campaign} close={close} />
      </Dialog>
    </>
  );
}
