import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { stepTitle } from "../../../ui/journey-steps/titles.ts";
import { To } from "../../../ui/to.tsx";
import { behindGone, goneFrom, JOURNEY_END, type JourneyDraft } from "../draft.ts";
import type { Journey } from "../rules.ts";
import { words } from "../words.ts";
import { draftTitle } from "./draft-title.ts";

type Props = {
  scope: string;
  journey: Journey;
  draft: JourneyDraft;
  /** At which steps there are users, as the server says. */
  inside: readonly { id: string; here: number }[];
  change: (draft: JourneyDraft) => void;
};

/** At which steps that were taken away there are users, and where these go on. */
export function Inside({ scope, journey, draft, inside, change }: Props) {
  const here = new Map(inside.map(({ id, here: users }) => [id, users]));
  const rows = goneFrom(draft, journey).filter(({ id }) => here.has(id) || draft.moves[id] !== undefined);
  const placesFrom = (id: string) => [
    { value: "", label: words.chooseStep },
    ...behindGone(draft, journey, id).map((step) => ({
      value: step.key,
      label: draftTitle(step, draft.steps),
    })),
    { value: JOURNEY_END, label: words.form.otherEnd },
  ];
  return (
    <Alert color="yellow" title={words.insideTitle} role="alert">
      <Stack>
        <Text size="sm">{words.insideAbout}</Text>
        {rows.map((step) => {
          const { id } = step;
          const places = placesFrom(id);
          const users = here.get(id);
          const title = stepTitle(step);
          const label = users === undefined ? words.maybeAt(title) : words.insideAt(title, users);
          return (
            <Stack key={id} gap={4} role="group" aria-label={label}>
              <To
                scope={scope}
                path={`journeys/${journey.id}`}
                search={{ view: "users", state: "inside", step: id }}
                isOnColour
              >
                {label}
              </To>
              <NativeSelect
                label={words.goOnAt}
                maw="24rem"
                data={places}
                value={places.some(({ value }) => value === draft.moves[id]) ? draft.moves[id] : ""}
                onChange={({ currentTarget }) =>
                  change({ ...draft, moves: { ...draft.moves, [id]: currentTarget.value } })
                }
              />
            </Stack>
          );
        })}
      </Stack>
    </Alert>
  );
}
