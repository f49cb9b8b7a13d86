import { Alert, Button, Text } from "@mantine/core";
import { useState } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import type { Replayed } from "../rules.ts";
import { words } from "../words.ts";

const COLOURS: Readonly<Record<Replayed["outcome"], string>> = {
  equal: "green",
  differs: "red",
  only_hashes: "gray",
  no_decision: "gray",
};

function aboutOf({ outcome, policy, fault, at }: Replayed): string {
  if (outcome === "differs") return fault ?? "";
  return outcome === "equal"
    ? words.outcomeAbout.equal(policy ?? "", timeWithSecondsOf(at))
    : words.outcomeAbout[outcome];
}

/** Makes the decision of a run again on the server, when a person asks for it, and says whether it is the same. */
export function Replay({ scope, runId }: { scope: string; runId: string }) {
  const [isRequested, setRequested] = useState(false);
  const replayed = useOperation(
    scope,
    "replayAgentRun",
    { path: { id: runId } },
    { enabled: isRequested, refetchInterval: false },
  );
  const replay = (): void => {
    if (isRequested) void replayed.refetch();
    setRequested(true);
  };
  return (
    <Section title={words.replayTitle}>
      <Text c="dimmed" maw="44rem">
        {words.replayAbout}
      </Text>
      <div>
        <Button onClick={replay} loading={replayed.isFetching}>
          {isRequested ? words.replayAgain : words.replay}
        </Button>
      </div>
      {isRequested && (
        <Loaded query={replayed}>
          {(found) => (
            <Alert
              color={COLOURS[found.outcome]}
              title={words.outcomes[found.outcome]}
              role={found.outcome === "differs" ? "alert" : "status"}
            >
              <Text size="sm" className={long.long}>
                {aboutOf(found)}
              </Text>
            </Alert>
          )}
        </Loaded>
      )}
    </Section>
  );
}
