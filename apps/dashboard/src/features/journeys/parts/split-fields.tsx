import {
  Button,
  CloseButton,
  Fieldset,
  Group,
  NativeSelect,
  Radio,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useId } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { replaced } from "../../../ui/audience/tree.pure.ts";
import { type ArmDraft, type SplitDraft, withNewArm, withoutArm } from "../draft.ts";
import { faultAtAny, faultBehind } from "../rules.ts";
import { words } from "../words.ts";
import type { StepOf } from "./step-props.ts";

const { form } = words;

/** What the server calls the fields of a path. */
const FIELDS = ["name", "weight", "to"] as const;

const faultOfArm = (fault: string | null, index: number): string | null =>
  faultBehind(fault, `arms[${index}]`);

/** Whether what the server says of a split stands at a field of one of its paths. */
export const isFaultOfSplit = (fault: string, { arms }: SplitDraft): boolean =>
  arms.some((_, index) => faultAtAny(faultOfArm(fault, index), FIELDS) !== undefined);

type ArmProps = {
  arm: ArmDraft;
  index: number;
  /** What the server says of it, without its place; null where it is about another part. */
  fault: string | null;
  places: readonly { value: string; label: string }[];
  /** Whether users may have drawn it, so that its name and its role stay. */
  isFixed: boolean;
  /** What all paths share, so that one of them is chosen. */
  control: string;
  change: (arm: ArmDraft) => void;
  choose: () => void;
  /** Null where it stays. */
  remove: (() => void) | null;
};

function ArmFields({ arm, index, fault, places, isFixed, control, change, choose, remove }: ArmProps) {
  const label = form.nthPath(numberOf(index + 1));
  return (
    <Fieldset legend={label}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap="sm" flex={1} miw={0}>
          <Group align="flex-start">
            <TextInput
              label={form.pathName}
              maxLength={40}
              readOnly={isFixed}
              variant={isFixed ? "filled" : "default"}
              value={arm.name}
              error={faultAtAny(fault, ["name"])}
              onChange={({ currentTarget }) => change({ ...arm, name: currentTarget.value })}
            />
            <TextInput
              label={form.weight}
              inputMode="numeric"
              w="8rem"
              value={arm.weight}
              error={faultAtAny(fault, ["weight"])}
              onChange={({ currentTarget }) => change({ ...arm, weight: currentTarget.value })}
            />
          </Group>
          <NativeSelect
            label={form.to}
            data={[...places]}
            value={arm.to}
            error={faultAtAny(fault, ["to"])}
            onChange={({ currentTarget }) => change({ ...arm, to: currentTarget.value })}
          />
          <Radio
            name={control}
            label={form.isControl}
            disabled={isFixed}
            checked={arm.isControl}
            onChange={choose}
          />
        </Stack>
        {remove !== null && <CloseButton aria-label={form.removePath(label)} onClick={remove} />}
      </Group>
    </Fieldset>
  );
}

type Props = StepOf<SplitDraft> & Pick<ArmProps, "places" | "isFixed">;

/** The paths of a split: their names, how many users go each, with which one the others are compared, and where each leads. */
export function SplitFields({ step, fault, places, isFixed, change }: Props) {
  const { arms } = step;
  const control = useId();
  const larger = isFixed ? null : withNewArm(step);
  return (
    <Stack gap="sm">
      <Text size="sm">{isFixed ? form.splitStays : form.splitAbout}</Text>
      {arms.map((arm, index) => {
        const smaller = isFixed ? null : withoutArm(step, index);
        return (
          <ArmFields
            key={arm.key}
            arm={arm}
            index={index}
            fault={faultOfArm(fault, index)}
            places={places}
            isFixed={isFixed}
            control={control}
            change={(changed) => change({ ...step, arms: replaced(arms, index, changed) })}
            choose={() =>
              change({ ...step, arms: arms.map((each) => ({ ...each, isControl: each.key === arm.key })) })
            }
            remove={smaller && (() => change(smaller))}
          />
        );
      })}
      {larger !== null && (
        <Group>
          <Button size="compact-sm" variant="light" onClick={() => change(larger)}>
            {form.addPath}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
