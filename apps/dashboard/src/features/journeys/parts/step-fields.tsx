import { Button, CloseButton, Fieldset, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { AudienceFields } from "../../../ui/audience/fields.tsx";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import {
  canMove,
  type IfDraft,
  isMessageBegun,
  isSplitBegun,
  JOURNEY_END,
  laterThan,
  type StepDraft,
} from "../draft.ts";
import { faultAtAny, isFaultOfMessage } from "../rules.ts";
import { words } from "../words.ts";
import { SendFields } from "./send-fields.tsx";
import { isFaultOfSplit, SplitFields } from "./split-fields.tsx";
import type { StepOf } from "./step-props.ts";
import { isFaultOfWait, WaitFields } from "./wait-fields.tsx";

const { form } = words;

type Ways = { steps: readonly StepDraft[]; titleOf: (step: StepDraft) => string };

/** Where users may go from a step, as a person chooses it: to a later one, or to the end. */
const placesOf = ({ step, steps, titleOf }: Ways & { step: StepDraft }) => [
  ...laterThan(steps, step.key).map((each) => ({ value: each.key, label: titleOf(each) })),
  { value: JOURNEY_END, label: form.otherEnd },
];

function IfFields({ scope, step, fault, change, steps, titleOf }: StepOf<IfDraft> & Ways) {
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
        data={placesOf({ step, steps, titleOf })}
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
    wasLaunched: boolean;
    move: (by: -1 | 1) => void;
    remove: () => void;
  };

/** Whether something is lost where a step is taken away: what was written, or what the server has. */
const hasContent = (step: StepDraft): boolean =>
  step.id !== null ||
  (step.kind === "send" && isMessageBegun(step)) ||
  (step.kind === "split" && isSplitBegun(step));

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

/** Whether what the server says stands at a field: anything else is shown at the step as a whole. */
function isAtField(fault: string, step: StepDraft): boolean {
  switch (step.kind) {
    case "send":
      return step.campaignId === null && isFaultOfMessage(fault, step.channel);
    case "wait":
      return isFaultOfWait(fault, step);
    case "if":
      return faultAtAny(fault, ["audience", "else"]) !== undefined;
    case "split":
      return isFaultOfSplit(fault, step);
    case "end":
      return false;
  }
}

/** What a step does, at its head. */
const kindInWords = (step: StepDraft): string =>
  step.kind === "send" ? form.sends[step.channel] : form.kinds[step.kind];

/** One step of a journey, as a person writes it. */
export function StepFields({ index, move, remove, titleOf, ...fields }: Props) {
  const { step, steps, id, wasLaunched, change, fault, scope } = fields;
  const place = numberOf(index + 1);
  const label = form.nth(place);
  // A split that is new to the server can go again, also where others launched the journey meanwhile.
  const isFixed = step.kind === "split" && step.id !== null && wasLaunched;
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
          {step.kind === "send" && <SendFields {...common} step={step} id={id} change={change} />}
          {step.kind === "wait" && <WaitFields {...common} step={step} change={change} />}
          {step.kind === "if" && (
            <IfFields {...common} step={step} steps={steps} titleOf={titleOf} change={change} />
          )}
          {step.kind === "split" && (
            <SplitFields
              {...common}
              step={step}
              places={placesOf({ step, steps, titleOf })}
              isFixed={isFixed}
              change={change}
            />
          )}
          {step.kind === "end" && <Text size="sm">{form.endAbout}</Text>}
        </Stack>
        <Stack gap={4} align="center">
          {!isFixed && <Removal step={step} label={label} remove={remove} />}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={form.up(label)}
            disabled={!canMove(steps, index, -1)}
            onClick={() => move(-1)}
          >
            {form.upSign}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={form.down(label)}
            disabled={!canMove(steps, index, 1)}
            onClick={() => move(1)}
          >
            {form.downSign}
          </Button>
        </Stack>
      </Group>
    </Fieldset>
  );
}
