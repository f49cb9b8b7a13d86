import { Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

/** The campaigns that a user does not get because goals hold them out; nothing where there is none. */
export function Withheld({ scope, id }: { scope: string; id: string }) {
  const { data } = useOperation(scope, "listUserWithheld", { path: { id } });
  if (data === undefined || data.withheld.length === 0) return null;
  return (
    <Section title={words.withheld} about={words.withheldAbout}>
      <Rows
        heads={[words.campaign, words.goal, words.heldOutSince]}
        rows={data.withheld.map(({ campaignId, campaignName, goalId, goalName, withheldAt }) => ({
          id: campaignId,
          cells: [
            <To key="campaign" scope={scope} path={`campaigns/${campaignId}`}>
              {campaignName}
            </To>,
            goalId === null ? (
              words.noGoal
            ) : (
              <To key="goal" scope={scope} path={`goals/${goalId}`}>
                {goalName}
              </To>
            ),
            timeOf(withheldAt),
          ],
        }))}
      />
      {data.more && (
        <Text size="sm" c="dimmed">
          {words.moreWithheld}
        </Text>
      )}
    </Section>
  );
}
