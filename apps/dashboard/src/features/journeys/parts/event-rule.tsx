import { useOperation } from "../../../platform/operations.ts";
import { EventRuleFields } from "../../../ui/audience/event.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import type { EventRule } from "../draft.ts";
import { faultAtAny } from "../rules.ts";

type Props = {
  scope: string;
  rule: EventRule;
  /** What the server says of it, without its place. */
  fault: string | null;
  change: (rule: EventRule) => void;
};

/** An event of users with conditions on its properties, which lets them in or ends a journey for them. */
export function EventRuleField({ scope, rule, fault, change }: Props) {
  const capabilities = useOperation(scope, "getAudienceCapabilities", {}, { refetchInterval: false });
  return (
    <Loaded query={capabilities}>
      {({ capabilities: known }) => (
        <EventRuleFields
          rule={rule}
          place="/root"
          capabilities={known}
          error={fault === null ? undefined : (faultAtAny(fault, ["event"]) ?? fault)}
          change={change}
        />
      )}
    </Loaded>
  );
}
