import { Stack, Tabs, Text, Textarea } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { AudienceBuilder } from "../../../ui/audience/builder.tsx";
import { Count, useCount } from "../../../ui/audience/count.tsx";
import { type NodeCounts, useCountsWithin } from "../../../ui/audience/node-counts.ts";
import { type ExpressionRemark, isAt } from "../../../ui/audience/remark.ts";
import { leafPlaces } from "../../../ui/audience/tree.pure.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { expressionJson, ruleOf, type SegmentDraft } from "../rules.ts";
import { words } from "../words.ts";

type Props = {
  scope: string;
  draft: SegmentDraft;
  change: (draft: SegmentDraft) => void;
  /** Whether the server was asked to take it, and has not. */
  wasTried: boolean;
};

const isWrong = ({ severity }: ExpressionRemark): boolean => severity === "error";

/** What the server says of a rule, with the place of each. */
function Remarks({ remarks }: { remarks: readonly ExpressionRemark[] }) {
  return remarks.map(({ path, message, severity }) => (
    <Text key={path + message} size="sm" c={severity === "error" ? "var(--mantine-color-error)" : "dimmed"}>
      {path === "" ? message : `${message} (${words.at(path)})`}
    </Text>
  ));
}

type ConditionsProps = Props & { remarks: readonly ExpressionRemark[]; counts: NodeCounts };

/** A rule built of conditions; what is wrong is said at the condition, or below where it is about no single one. */
function Conditions({ scope, draft, change, wasTried, remarks, counts }: ConditionsProps) {
  const capabilities = useOperation(scope, "getAudienceCapabilities", {}, { refetchInterval: false });
  const places = leafPlaces(draft.expression.root);
  const ofNone = remarks.filter(({ path }) => !places.some((place) => isAt(path, place)));
  return (
    <Loaded query={capabilities}>
      {({ capabilities: known }) => (
        <Stack gap="xs">
          <AudienceBuilder
            scope={scope}
            capabilities={known}
            expression={draft.expression}
            remarks={remarks}
            counts={counts}
            wasTried={wasTried}
            change={(expression) => change({ ...draft, expression })}
          />
          <Remarks remarks={ofNone} />
        </Stack>
      )}
    </Loaded>
  );
}

/** The rule of a segment, as conditions or as JSON, with the exact count. */
export function RuleFields({ scope, draft, change, wasTried }: Props) {
  const rule = ruleOf(draft);
  const counted = useCount(scope, "rule" in rule ? { expression: rule.rule } : null);
  const isText = draft.json !== null;
  const counts = useCountsWithin(scope, counted, !isText);
  // The builder can show what the server takes, and only that.
  const isTaken = !isText || ("rule" in rule && counted.check.isSuccess && !counted.isOld);
  const show = (form: string | null): void => {
    if (form === "json") change({ ...draft, json: expressionJson(draft.expression) });
    else if ("rule" in rule && isTaken) change({ ...draft, json: null, expression: rule.rule });
  };
  return (
    <Stack>
      <Tabs value={isText ? "json" : "conditions"} onChange={show} keepMounted={false}>
        <Tabs.List aria-label={words.form} mb="md">
          <Tabs.Tab value="conditions" disabled={!isTaken}>
            {words.asConditions}
          </Tabs.Tab>
          <Tabs.Tab value="json">{words.asText}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="conditions">
          <Conditions
            scope={scope}
            draft={draft}
            change={change}
            wasTried={wasTried}
            remarks={counted.remarks}
            counts={counts}
          />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <Textarea
            autosize
            minRows={8}
            maxRows={30}
            spellCheck={false}
            aria-label={words.jsonLabel}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            value={draft.json ?? ""}
            error={"fault" in rule ? words.notJson(rule.fault) : counted.remarks.some(isWrong)}
            onChange={({ currentTarget }) => change({ ...draft, json: currentTarget.value })}
          />
          <Stack gap={4} mt="xs" role="status">
            {"rule" in rule && <Remarks remarks={counted.remarks} />}
            {!isTaken && !counted.isOld && (
              <Text size="sm" c="dimmed">
                {words.mendFirst}
              </Text>
            )}
          </Stack>
        </Tabs.Panel>
      </Tabs>
      {"rule" in rule && <Count counted={counted} />}
    </Stack>
  );
}
