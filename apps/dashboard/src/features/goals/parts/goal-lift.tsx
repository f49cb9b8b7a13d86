import { Alert, Select, Stack, Text, Title } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import type { Goal, Holdout } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { SaveTable } from "../../../ui/save/save-table.tsx";
import { HoldoutOf } from "../../../ui/statistics/holdout.tsx";

import { words } from "../words.ts";

type Props = { scope: string; goal: Goal };

const countOf = ({ matured, pending }: Pick<Holdout["served"], "matured" | "pending">): number =>
  matured.exposedUsers + pending.exposedUsers;

function Compared({ holdout }: { holdout: Holdout }) {
  const { withheld, withoutHoldout, percent } = holdout;
  const rest = countOf(withoutHoldout);
  return (
    <Stack gap="md">
      {percent === 0 && countOf(withheld) === 0 ? (
        <Alert color="gray" title={words.noHoldout}>
          {words.noHoldoutAbout}
        </Alert>
      ) : (
        <HoldoutOf holdout={holdout} about={words.everyUser} />
      )}
      {rest > 0 && <Text size="sm">{words.without(rest)}</Text>}
    </Stack>
  );
}

function Conversions({ scope, goal, event }: Props & { event: string }) {
  const conversions = useOperation(scope, "getGoalConversions", { path: { id: goal.id }, query: { event } });
  return (
    <Loaded query={conversions}>
      {({ holdout, evaluatedAt, maturedUntil }) => (
        <Stack gap="md">
          <Compared holdout={holdout} />
          <div>
            <SaveTable
              name="goal-results"
              heads={[words.group, words.countedUsers, words.convertedUsers, words.rateOf]}
              rows={(["served", "withheld", "withoutHoldout"] as const).map((side) => {
                const { matured, pending } = holdout[side];
                const [users, converted] = [
                  matured.exposedUsers + pending.exposedUsers,
                  matured.convertedUsers + pending.convertedUsers,
                ];
                return [words.groups[side], users, converted, users === 0 ? null : converted / users];
              })}
            />
          </div>
          <Text size="sm" c="dimmed">
            {words.age(timeOf(evaluatedAt), timeOf(maturedUntil), zoneName())}
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}

/** What the messages of all campaigns of a goal do, for its event unless the address names another one. */
export function GoalLift({ scope, goal }: Props) {
  const [{ event: chosen = "" }, change] = useAddress();
  const capabilities = useOperation(scope, "getAudienceCapabilities");
  const events = capabilities.data?.capabilities.events.map(({ name }) => name) ?? [];
  const own = goal.targetEvent;
  const event = chosen || (own ?? "");
  const offered = [...new Set([...(own === null ? [] : [own]), ...(event === "" ? [] : [event]), ...events])];
  return (
    <Stack component="section" aria-label={words.lift} gap="md">
      <Title order={2} size="h4">
        {words.lift}
      </Title>
      {offered.length === 0 ? (
        <Loaded query={capabilities}>{() => <Text>{words.nothingHappened}</Text>}</Loaded>
      ) : (
        <Select
          label={words.event}
          data={offered}
          searchable
          allowDeselect={false}
          maw="24rem"
          description={own === null ? words.chooseEvent : words.eventAbout}
          value={event === "" ? null : event}
          onChange={(name) => change({ event: name === own ? "" : (name ?? "") })}
        />
      )}
      {event !== "" && <Conversions scope={scope} goal={goal} event={event} />}
    </Stack>
  );
}
