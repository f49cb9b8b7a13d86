import { Alert, Button, Radio, Select, Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { columnNames, needsLeft, type StopRule } from "../mapping.pure.ts";
import type { ReadingPlan } from "../plan.ts";
import { bringsStops, type ColumnMapping, type FileLook, type ImportFile, stageOf } from "../rules.ts";
import type { StepProps } from "../steps.ts";
import { words } from "../words.ts";
import { RuleFields, ruleText } from "./rule-fields.tsx";

const MOST_RULES = 10;
const CHOICES = 100;

type Change = (next: Partial<ReadingPlan>) => void;

/** The rules that say which lines are about an address that gets no mail. */
function RuleList({ look, plan, change }: { look: FileLook; plan: ReadingPlan; change: Change }) {
  const { mapping } = plan;
  const rules = mapping.suppressed ?? [];
  const placed = rules.map((each, index) => ({ each, place: index + 1 }));
  const columns = columnNames(look.columns, mapping);
  const put = (suppressed: StopRule[]): void => change({ mapping: { ...mapping, suppressed } });
  const [first = ""] = columns;
  const rule: StopRule = { column: first, when: "true", reason: "unsubscribed" };
  return (
    <Stack gap="sm">
      {rules.length === 0 && <Text>{words.noRules}</Text>}
      {placed.map(({ each, place }) => (
        <RuleFields
          // Rules have no names: with another number of them, all are drawn anew.
          key={`${place} of ${rules.length}`}
          place={place}
          columns={columns}
          rule={each}
          change={(next) => put(rules.map((other) => (other === each ? next : other)))}
          remove={() => put(rules.filter((other) => other !== each))}
        />
      ))}
      {rules.length < MOST_RULES && (
        <div>
          <Button size="xs" variant="default" onClick={() => put([...rules, rule])}>
            {words.addRule}
          </Button>
        </div>
      )}
    </Stack>
  );
}

type ElsewhereProps = { scope: string; file: ImportFile; plan: ReadingPlan; change: Change };

/** Which other import brought in those who left. */
function OtherImport({ scope, file, plan: { whoLeft }, change }: ElsewhereProps) {
  const { data } = useOperation(scope, "listImports", { query: { perPage: CHOICES } });
  const others = (data?.imports ?? []).filter((other) => other.id !== file.id && bringsStops(other));
  const chosen = typeof whoLeft === "object" && whoLeft !== null ? whoLeft.importId : null;
  if (data !== undefined && others.length === 0) return <Text size="sm">{words.noOtherImport}</Text>;
  return (
    <Select
      label={words.otherImport}
      maw="28rem"
      data={others.map(({ id, name, createdAt }) => ({
        value: id,
        label: words.byAt(name, timeOf(createdAt)),
      }))}
      value={chosen}
      allowDeselect={false}
      onChange={(importId) => importId !== null && change({ whoLeft: { importId } })}
    />
  );
}

/** Where those are who get no mail, where the file does not say it. */
function Elsewhere(props: ElsewhereProps) {
  const { whoLeft } = props.plan;
  const isElsewhere = typeof whoLeft === "object" && whoLeft !== null;
  const { file, none } = words.elsewheres;
  return (
    <Alert color="yellow" title={words.elsewhere}>
      <Stack>
        <Text size="sm">{words.elsewhereAbout}</Text>
        <Radio.Group
          aria-label={words.elsewhere}
          value={whoLeft === "nobody" ? "nobody" : isElsewhere ? "file" : null}
          onChange={(chosen) => props.change({ whoLeft: chosen === "nobody" ? "nobody" : { importId: "" } })}
        >
          <Stack gap="xs">
            <Radio value="file" label={file} />
            <Radio value="nobody" label={none} />
          </Stack>
        </Radio.Group>
        {isElsewhere && <OtherImport {...props} />}
      </Stack>
    </Alert>
  );
}

/** The rules that a file was started with, and what was said of those who left. */
function AsStarted({ mapping, file }: { mapping: ColumnMapping; file: ImportFile }) {
  const { suppressed = [] } = mapping;
  return (
    <Stack gap={4}>
      {suppressed.length === 0 && <Text size="sm">{words.noRules}</Text>}
      {suppressed.map((rule) => (
        <Text key={ruleText(rule)} size="sm" className={long.long}>
          {ruleText(rule)}
        </Text>
      ))}
      {file.whoLeft !== null && (
        <Text size="sm">{file.whoLeft === "nobody" ? words.leftNone : words.leftInOther}</Text>
      )}
    </Stack>
  );
}

/** The third step of users and of addresses: which of them get no mail. */
export function LeftStep({ scope, file, look, planning, place }: StepProps) {
  const { plan, change } = planning;
  const isUsers = file.kind === "users";
  const texts = isUsers
    ? { title: words.left, about: words.leftAbout }
    : { title: words.leftLines, about: words.leftLinesAbout };
  const title = words.step(place, texts.title);
  if (plan === null) return null;
  if (stageOf(file) !== "ready" || look.data === undefined)
    return (
      <Section title={title}>
        <AsStarted mapping={plan.mapping} file={file} />
      </Section>
    );
  return (
    <Section title={title} about={texts.about}>
      {needsLeft(file.kind, plan.mapping, look.data.needsLeavers, look.data.mapping) && (
        <Elsewhere scope={scope} file={file} plan={plan} change={change} />
      )}
      <RuleList look={look.data} plan={plan} change={change} />
    </Section>
  );
}
