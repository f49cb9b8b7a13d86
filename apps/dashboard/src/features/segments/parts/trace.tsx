import { Alert, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { TraceTree } from "../../../ui/audience/trace.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { AskUser } from "../../../ui/user/ask-user.tsx";
import { useUserLabel } from "../../../ui/user/names.ts";
import { isOfUnknownUser, UnknownUser } from "../../../ui/user/unknown-user.tsx";
import type { Segment } from "../rules.ts";
import { words } from "../words.ts";

type Explanation = Answer<"explainAudience">;

function Explained({
  scope,
  explanation,
  segment,
}: {
  scope: string;
  explanation: Explanation;
  segment: Segment;
}) {
  const { user, matched, trace, evaluatedAt } = explanation;
  const label = useUserLabel(scope, user.externalUserId);
  const title = matched ? words.isIn(label) : words.isOut(label);
  return (
    <Stack>
      <Alert color={matched ? "green" : "gray"} title={title}>
        {words.ofVersion(numberOf(segment.currentVersion), timeOf(evaluatedAt), zoneName())}
      </Alert>
      <TraceTree scope={scope} trace={trace} expression={segment.expression} />
    </Stack>
  );
}

/** Why one user is in a segment, or is not, condition by condition. The question is in the address. */
export function TraceOf({ scope, segment }: { scope: string; segment: Segment }) {
  const [{ user = "" }, change] = useAddress();
  const ask = (userId: string): void => change({ user: userId });
  const explanation = useOperation(
    scope,
    "explainAudience",
    { body: { userId: user, segment: segment.id, version: segment.currentVersion } },
    { enabled: user !== "" },
  );
  return (
    <Stack>
      <Text c="dimmed">{words.traceAbout}</Text>
      <AskUser user={user} ask={ask} />
      {user !== "" &&
        (isOfUnknownUser(explanation.error) ? (
          <UnknownUser scope={scope} typed={user} choose={({ externalUserId }) => ask(externalUserId)} />
        ) : (
          <Loaded query={explanation}>
            {(found) => <Explained scope={scope} explanation={found} segment={segment} />}
          </Loaded>
        ))}
    </Stack>
  );
}
