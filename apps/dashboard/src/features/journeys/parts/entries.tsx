import { Group, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { optionsOf } from "../../../ui/options.ts";
import { To } from "../../../ui/to.tsx";
import { UserName } from "../../../ui/user/user-name.tsx";
import { type Journey, type JourneyEntry, splitOf } from "../rules.ts";
import { words } from "../words.ts";
import { AddUsers } from "./add-users.tsx";
import { titlesOf } from "./step-titles.ts";
import { TakeOut } from "./take-out.tsx";

const PER_PAGE = 50;
const STATES = ["inside", "left"] as const;

type OfJourney = { scope: string; journey: Journey };
type Row = OfJourney & { entry: JourneyEntry; titleOf: (stepId: string) => string; takeOut: () => void };

/** When a user who is inside goes on, as far as it is known: a date is read anew until it comes. */
function goesOnAt({ journey, entry: { stepId, dueAt } }: Row): string | null {
  const step = journey.steps.find(({ id }) => id === stepId);
  if (step?.kind === "wait" && step.date !== undefined) return words.withDate;
  return dueAt === null ? null : timeOf(dueAt);
}

const cellsOf = (row: Row) => {
  const { scope, journey, entry, titleOf, takeOut } = row;
  const { externalUserId, occasion, stepId, enteredAt, arrivedAt, leftAt, leftBy, arm } = entry;
  return [
    <Stack key="user" gap={0}>
      <UserName scope={scope} userId={externalUserId} fw={600} />
      {occasion > 0 && (
        <Text size="sm" c="dimmed">
          {words.nthTime(numberOf(occasion + 1))}
        </Text>
      )}
    </Stack>,
    titleOf(stepId),
    ...(splitOf(journey) === null ? [] : [arm]),
    timeOf(enteredAt),
    timeOf(arrivedAt),
    leftAt === null
      ? goesOnAt(row)
      : words.leftAt(timeOf(leftAt), leftBy === null ? "" : words.leftBy[leftBy]),
    <Group key="actions" gap="xs">
      <To scope={scope} path={`journeys/${journey.id}`} search={{ view: "why", user: externalUserId }}>
        {leftAt === null ? words.why.ask : words.why.askOfLeft}
      </To>
      {leftAt === null && (
        <RoleButton scope={scope} needs="editor" variant="default" size="xs" onClick={takeOut}>
          {words.takeOut}
        </RoleButton>
      )}
    </Group>,
  ];
};

/** Users who are inside a journey, and who have left it, newest first. */
export function Entries({ scope, journey }: OfJourney) {
  const { id, steps, status } = journey;
  const [address, change] = useAddress();
  const [isAdding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const titleOf = titlesOf(journey);
  const state = STATES.find((each) => each === address.state);
  const { step = "" } = address;
  const entries = useOperation(scope, "listJourneyEntries", {
    path: { id },
    query: {
      perPage: PER_PAGE,
      page: pageIn(address),
      ...(state !== undefined && { state }),
      ...(step !== "" && { stepId: step }),
    },
  });
  const isFiltered = state !== undefined || step !== "" || pageIn(address) > 1;
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Group align="flex-end">
          <Select
            label={words.state}
            value={state ?? ""}
            allowDeselect={false}
            data={[{ value: "", label: words.everyState }, ...optionsOf(words.states)]}
            onChange={(chosen) => change({ state: chosen ?? "", page: "" })}
          />
          <Select
            label={words.step}
            value={step}
            allowDeselect={false}
            data={[
              { value: "", label: words.everyStep },
              ...steps.map((each) => ({ value: each.id, label: titleOf(each.id) })),
              ...(step === "" || steps.some((each) => each.id === step)
                ? []
                : [{ value: step, label: titleOf(step) }]),
            ]}
            onChange={(chosen) => change({ step: chosen ?? "", page: "" })}
          />
        </Group>
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          variant="default"
          refusal={status === "running" ? null : words.addOnlyRunning}
          onClick={() => setAdding(true)}
        >
          {words.add}
        </RoleButton>
      </Group>
      <Loaded query={entries}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[
              words.user,
              words.step,
              ...(splitOf(journey) === null ? [] : [words.path]),
              words.enteredAt,
              words.arrivedAt,
              words.goesOnOrLeft,
              words.actionHead,
            ]}
            rows={found.entries.map((entry) => ({
              id: `${entry.externalUserId} ${entry.occasion}`,
              cells: cellsOf({
                scope,
                journey,
                entry,
                titleOf,
                takeOut: () => setLeaving(entry.externalUserId),
              }),
            }))}
            empty={
              <Empty
                title={words.noEntry}
                about={words.noEntryAbout}
                filtered={
                  isFiltered
                    ? { title: words.noEntries, clear: () => change({ state: "", step: "", page: "" }) }
                    : null
                }
              />
            }
          />
        )}
      </Loaded>
      {isAdding && <AddUsers scope={scope} journeyId={id} close={() => setAdding(false)} />}
      {leaving !== null && (
        <TakeOut scope={scope} journeyId={id} userId={leaving} close={() => setLeaving(null)} />
      )}
    </Stack>
  );
}
