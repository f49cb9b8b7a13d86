import { Stack } from "@mantine/core";
import { useOperation } from "../../../../platform/operations.ts";
import { Loaded } from "../../../../ui/loaded.tsx";
import { senderSteps } from "../../rules.ts";
import { DomainStep } from "./domain.tsx";
import { FromStep } from "./from.tsx";
import { ServerStep } from "./server.tsx";
import { TryStep } from "./try.tsx";

/** The way from nothing to mail that arrives, in steps that each say whether they are done. */
export function SenderSteps({ scope }: { scope: string }) {
  const found = useOperation(scope, "getEmailSender");
  return (
    <Loaded query={found}>
      {(sender) => {
        const steps = senderSteps(sender);
        return (
          <Stack maw="56rem">
            <FromStep scope={scope} sender={sender} state={steps.sender} />
            <ServerStep scope={scope} sender={sender} state={steps.server} />
            <DomainStep scope={scope} sender={sender} state={steps.domain} />
            <TryStep scope={scope} sender={sender} />
          </Stack>
        );
      }}
    </Loaded>
  );
}
