import { SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { zoneName } from "../../../platform/times.ts";
import { GUARDRAIL_KINDS, GUARDRAILS, type Guardrail } from "../../../ui/guardrails/kinds.ts";
import { guardrailName } from "../../../ui/guardrails/names.ts";
import { type GuardrailTexts, othersOf } from "../guardrails.ts";
import { words } from "../words.ts";

type Props = {
  fields: GuardrailTexts;
  change: (fields: GuardrailTexts) => void;
  /** What the server says of a guardrail. */
  faultOf: (key: string) => string | undefined;
};

type OneProps = {
  guardrail: Guardrail;
  text: string;
  fault: string | undefined;
  write: (text: string) => void;
};

/** A limit in its unit. */
function Limit({ guardrail, text, fault, write }: OneProps) {
  const { about, hint = "" } = words.guardrails[guardrail];
  const kind = GUARDRAIL_KINDS[guardrail];
  const name = guardrailName(guardrail);
  const field = {
    label: kind === "percent" ? words.inPercent(name) : name,
    description: `${about} ${kind === "instant" ? words.zone(zoneName()) : hint}`.trim(),
    value: text,
    error: fault !== undefined && kind === "percent" ? words.asShare(fault) : fault,
  };
  if (kind === "phrases")
    return (
      <Textarea
        {...field}
        autosize
        minRows={2}
        maxRows={10}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
    );
  return (
    <TextInput
      {...field}
      {...(kind === "instant" ? { type: "datetime-local" } : { inputMode: "decimal" as const })}
      onChange={({ currentTarget }) => write(currentTarget.value)}
    />
  );
}

/** Why the other keys are none; undefined where they are. */
function faultOfOthers(text: string): string | undefined {
  const read = othersOf(text);
  if (!("fault" in read)) return undefined;
  const { fault } = read;
  if (fault === "json" || fault === "object") return words.othersFault[fault];
  return words.othersFault.field(fault);
}

/** A field for each guardrail that means something, and the other keys as JSON. */
export function GuardrailFields({ fields, change, faultOf }: Props) {
  const { limits, others } = fields;
  return (
    <Stack>
      <Text c="dimmed">{words.guardrailsAbout}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {GUARDRAILS.map((guardrail) => (
          <Limit
            key={guardrail}
            guardrail={guardrail}
            text={limits[guardrail]}
            fault={faultOf(`guardrails.${guardrail}`)}
            write={(text) => change({ ...fields, limits: { ...limits, [guardrail]: text } })}
          />
        ))}
      </SimpleGrid>
      <Textarea
        label={words.others}
        description={words.othersAbout}
        value={others}
        spellCheck={false}
        autosize
        minRows={2}
        maxRows={12}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        error={faultOfOthers(others) ?? faultOf("guardrails")}
        onChange={({ currentTarget }) => change({ ...fields, others: currentTarget.value })}
      />
    </Stack>
  );
}
