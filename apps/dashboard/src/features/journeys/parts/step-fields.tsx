import {
  Button,
  CloseButton,
  Fieldset,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { AudienceFields } from "../../../ui/audience/fields.tsx";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { To } from "../../../ui/to.tsx";
import { type IfDraft, JOURNEY_END, laterThan, type SendDraft, type StepDraft } from "../draft.ts";
import { faultAtAny, MESSAGE_FIELDS } from "../rules.ts";
import { words } from "../words.ts";
import { isFaultOfWait, WaitFields } from "./wait-fields.tsx";

const { form } = words;

type StepOf<Step extends StepDraft> = {
  scope: string;
  step: Step;
  /** What the server says of it, without its place; null where it is about another part. */
  fault: string | null;
  change: (step: Step) => void;
};

/** Names of campaigns by their ids, which come after the steps. */
type NameOf = (campaignId: string) => string | null;

function SendFields({
  scope,
  step,
  id,
  fault,
  nameOf,
  change,
}: StepOf<SendDraft> & { id: string; nameOf: NameOf }) {
  if (step.campaignId !== null)
    return (
      <Text size="sm">
        {`${form.ofCampaign} `}
        <To scope={scope} path={`campaigns/${step.campaignId}`}>
          {nameOf(step.campaignId) ?? id}
        </To>
      </Text>
    );
  const field = (name: "name" | "subject" | "body") => ({
    value: step[name],
    error: faultAtAny(fault, MESSAGE_FIELDS[name]),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      change({ ...step, [name]: currentTarget.value }),
  });
  return (
    <Stack gap="sm">
      <TextInput
        label={form.message}
        description={step.name.trim() === "" ? form.messageAbout : `${form.messageAbout} ${form.idAbout(id)}`}
        maxLength={80}
        {...field("name")}
      />
      <TextInput label={form.subject} maxLength={200} {...field("subject")} />
      <Textarea
        label={form.body}
        description={form.bodyAbout}
        autosize
        minRows={4}
        maxRows={20}
        maxLength={50_000}
        {...field("body")}
      />
    </Stack>
  );
}

type Ways = { steps: readonly StepDraft[]; titleOf: (step: StepDraft) => string };

function IfFields({ scope, step, fault, change, steps, titleOf }: StepOf<IfDraft> & Ways) {
  const later = laterThan(steps, step.key);
  return (
    <Stack gap="sm">
      <Text size="sm" fw={500}>
        {form.audience}
      </Text>
      <AudienceFields
        scope={scope}
        audience={step.audience}
        fault={faultAtAny(fault, ["audience"])}
        wasTried={fault !== null}
        change={(audience) => change({ ...step, audience })}
      />
      <NativeSelect
        label={form.other}
        data={[
          ...later.map((each) => ({ value: each.key, label: titleOf(each) })),
          { value: JOURNEY_END, label: form.otherEnd },
        ]}
        value={step.other}
        error={faultAtAny(fault, ["else"])}
        onChange={({ currentTarget }) => change({ ...step, other: currentTarget.value })}
      />
    </Stack>
  );
}

type Props = StepOf<StepDraft> &
  Ways & {
    id: string;
    index: number;
    nameOf: NameOf;
    move: (by: -1 | 1) => void;
    remove: () => void;
  };

/** Whether something is lost where a step is taken away: what was written, or what the server has. */
const hasContent = (step: StepDraft): boolean =>
  step.id !== null || (step.kind === "send" && (step.name + step.subject + step.body).trim() !== "");

function Removal({ step, label, remove }: { step: StepDraft; label: string; remove: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <CloseButton
        aria-label={form.remove(label)}
        onClick={() => (hasContent(step) ? setOpen(true) : remove())}
      />
      <ConfirmDialog
        opened={isOpen}
        close={close}
        act={() => {
          close();
          remove();
        }}
        action={form.removeNow}
        title={form.removeTitle(label)}
        about={step.id === null ? form.removeWritten : form.removeAbout}
        change={{ error: null, isPending: false }}
      />
    </>
  );
}

/** The fields that name themselves in what the server says of a step, but for those of a wait. */
const FIELDS: Readonly<Record<Exclude<StepDraft["kind"], "wait">, readonly string[]>> = {
  send: Object.values(MESSAGE_FIELDS).flat(),
  if: ["audience", "else"],
  end: [],
};

/** Whether what the server says stands at a field: anything else is shown at the step as a whole. */
const isAtField = (fault: string, step: StepDraft): boolean =>
  step.kind === "wait" ? isFaultOfWait(fault, step) : faultAtAny(fault, FIELDS[step.kind]) !== undefined;

/** What a step does, at its head. */
const kindInWords = (step: StepDraft): string =>
  step.kind === "send" && step.channel === "push" ? form.sendPush : form.kinds[step.kind];

/** One step of a journey, as a person writes it. */
export function StepFields({ index, move, remove, titleOf, ...fields }: Props) {
  const { step, steps, id, nameOf, change, fault, scope } = fields;
  const place = numberOf(index + 1);
  const label = form.nth(place);
  const isPlaced = fault === null || isAtField(fault, step);
  const common = { scope, fault };
  return (
    <Fieldset legend={form.heading(place, kindInWords(step))}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap="sm" flex={1} miw={0}>
          {!isPlaced && (
            <Text size="sm" c="var(--mantine-color-error)">
              {fault}
            </Text>
          )}
          {step.kind === "send" && (
            <SendFields {...common} step={step} id={id} nameOf={nameOf} change={change} />
          )}
          {step.kind === "wait" && <WaitFields {...common} step={step} change={change} />}
          {step.kind === "if" && (
            <IfFields {...common} step={step} steps={steps} titleOf={titleOf} change={change} />
          )}
          {step.kind === "end" && <Text size="sm">{form.endAbout}</Text>}
        </Stack>
        <Stack gap={4} align="center">
          <Removal step={step} label={label} remove={remove} />
          <Button
            size="compact-sm"
            variant="default"
            aria-label={form.up(label)}
            disabled={index === 0}
            onClick={() => move(-1)}
          >
            {form.upSign}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={form.down(label)}
            disabled={index === steps.length - 1}
            onClick={() => move(1)}
          >
            {form.downSign}
          </Button>
        </Stack>
      </Group>
    </Fieldset>
  );
}
