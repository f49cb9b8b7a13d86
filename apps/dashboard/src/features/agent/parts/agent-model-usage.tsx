import { Alert, Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { utcDayOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { usdOf } from "../rules.ts";
import { words } from "../words.ts";

const AMOUNT = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** What models used this month. */
export function AgentModelUsage({ scope }: { scope: string }) {
  const activity = useOperation(scope, "getAgentActivity");
  const settings = useOperation(scope, "getAgentSettings");
  return (
    <Loaded query={activity}>
      {({ usage: { since, models } }) => (
        <Stack>
          {settings.data?.ai.limitReached === true && <Alert color="yellow">{words.limitReached}</Alert>}
          <Text c="dimmed">{words.usageAbout(utcDayOf(since))}</Text>
          {models.length === 0 ? (
            <Empty title={words.noUsage} about={words.noUsageAbout} filtered={null} />
          ) : (
            <Rows
              heads={[words.model, words.runs, words.credits, words.cost, words.read, words.written]}
              rows={models.map((each) => ({
                id: each.model ?? "",
                cells: [
                  each.model ?? words.unnamed,
                  numberOf(each.runs),
                  numberOf(each.credits),
                  words.usd(AMOUNT.format(usdOf(each.costMicros))),
                  numberOf(each.inputTokens),
                  numberOf(each.outputTokens),
                ],
              }))}
            />
          )}
        </Stack>
      )}
    </Loaded>
  );
}
