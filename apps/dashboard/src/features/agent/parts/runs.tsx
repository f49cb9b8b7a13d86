import { Group, Select, Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { SaveList } from "../../../ui/save/save-list.tsx";
import { To } from "../../../ui/to.tsx";
import { describeRunReason, type References, RUN_KINDS, type Run, WRITERS } from "../rules.ts";
import { words } from "../words.ts";
import { KindBadge, kindName } from "./kind.tsx";

const PER_PAGE = 25;
const CHOICES = 100;

type OfScope = { scope: string };

function Filters({ scope }: OfScope) {
  const [{ kind = "", by = "", goal = "", campaign = "" }, change] = useAddress();
  const goals = useOperation(scope, "listGoals");
  const campaigns = useOperation(scope, "listCampaigns", { query: { perPage: CHOICES } });
  const kinds = kind === "" || RUN_KINDS.some((each) => each === kind) ? RUN_KINDS : [...RUN_KINDS, kind];
  const named = (things: readonly { id: string; name: string }[] = []) =>
    things.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Group align="flex-end">
      <Select
        label={words.kind}
        data={[
          { value: "", label: words.everyKind },
          ...kinds.map((each) => ({ value: each, label: kindName(each) })),
        ]}
        value={kind}
        allowDeselect={false}
        onChange={(chosen) => change({ kind: chosen ?? "", page: "" })}
      />
      <Select
        label={words.writer}
        data={[
          { value: "", label: words.everyWriter },
          ...WRITERS.map((each) => ({ value: each, label: words.writers[each] ?? each })),
        ]}
        value={by}
        allowDeselect={false}
        onChange={(chosen) => change({ by: chosen ?? "", page: "" })}
      />
      <Select
        label={words.goal}
        data={[{ value: "", label: words.everyGoal }, ...named(goals.data?.goals)]}
        value={goal}
        searchable
        allowDeselect={false}
        onChange={(chosen) => change({ goal: chosen ?? "", page: "" })}
      />
      <Select
        label={words.campaign}
        data={[{ value: "", label: words.everyCampaign }, ...named(campaigns.data?.campaigns)]}
        value={campaign}
        searchable
        allowDeselect={false}
        onChange={(chosen) => change({ campaign: chosen ?? "", page: "" })}
      />
    </Group>
  );
}

function For({ scope, run, references }: OfScope & { run: Run; references: References }) {
  const { campaignId, goalId } = run;
  const campaign = campaignId === null ? undefined : references.campaigns[campaignId];
  const goal = goalId === null ? undefined : references.goals[goalId];
  return (
    <Stack gap={4}>
      {campaign !== undefined && (
        <To scope={scope} path={`campaigns/${campaignId}`}>
          {campaign}
        </To>
      )}
      {goal !== undefined && (
        <To scope={scope} path={`goals/${goalId}`}>
          {goal}
        </To>
      )}
    </Stack>
  );
}

const cellsOf = (scope: string, run: Run, references: References) => [
  <To key="kind" scope={scope} path={`agent/runs/${run.id}`}>
    {timeOf(run.createdAt)}
  </To>,
  <KindBadge key="badge" run={run} />,
  <For key="for" scope={scope} run={run} references={references} />,
  <Text key="why" size="sm" lineClamp={3} className={long.long}>
    {describeRunReason(run, references) ?? words.noReason}
  </Text>,
];

/** What agents did, newest first. */
export function Runs({ scope }: OfScope) {
  const [address, change] = useAddress();
  const { kind = "", by = "", goal = "", campaign = "" } = address;
  const writtenBy = WRITERS.find((each) => each === by);
  const filter = {
    ...(kind !== "" && { kind }),
    ...(writtenBy !== undefined && { writtenBy }),
    ...(goal !== "" && { goalId: goal }),
    ...(campaign !== "" && { campaignId: campaign }),
  };
  const runs = useOperation(scope, "listAgentRuns", {
    query: { include: "names", perPage: PER_PAGE, page: pageIn(address), ...filter },
  });
  const isFiltered = kind !== "" || writtenBy !== undefined || goal !== "" || campaign !== "";
  const clear = (): void => change({ kind: "", by: "", goal: "", campaign: "", page: "" });
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Filters scope={scope} />
        <SaveList scope={scope} list={"extractRuns" as const} query={filter} about={words.saveAbout} />
      </Group>
      <Loaded query={runs}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.when, words.what, words.whatFor, words.why]}
            rows={found.runs.map((run) => ({
              id: run.id,
              cells: cellsOf(scope, run, found.references ?? { goals: {}, campaigns: {} }),
            }))}
            empty={
              <Empty
                title={words.noRuns}
                about={words.noRunsAbout}
                filtered={isFiltered || found.page > 1 ? { title: words.noMatch, clear } : null}
              />
            }
          />
        )}
      </Loaded>
    </Stack>
  );
}
