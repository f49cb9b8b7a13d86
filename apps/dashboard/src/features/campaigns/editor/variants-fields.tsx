import { Button, Checkbox, Group, Stack, Tabs, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { percentOf } from "../../../platform/figures.ts";
import { Discard } from "../../../ui/form/discard.tsx";
import {
  type CampaignDraft,
  type Delivered,
  type DraftVariant,
  isTakenOut,
  losesText,
  MAX_VARIANTS,
  reasonToStay,
  withNewVariant,
  withoutVariant,
  withVariant,
} from "./draft.ts";
import { words } from "./words.ts";

type Props = {
  draft: CampaignDraft;
  /** The place of the variant that is shown. */
  shown: number;
  show: (index: number) => void;
  change: (draft: CampaignDraft) => void;
  /** Variants that users have got, which stay. */
  delivered: Delivered;
  isSaving: boolean;
  /** The fields of its message. */
  children: ReactNode;
};

/** Name, share and role of one variant among several. */
function VariantFields({ draft, shown, change }: Pick<Props, "draft" | "shown" | "change">) {
  const variant = draft.variants[shown];
  if (variant === undefined) return null;
  const all = draft.variants.reduce((sum, { weight }) => sum + weight, 0);
  const put = (part: Partial<typeof variant>): void => change(withVariant(draft, shown, part));
  return (
    <Group align="flex-start">
      <TextInput
        label={words.variantName}
        maxLength={40}
        value={variant.name}
        onChange={({ currentTarget }) => put({ name: currentTarget.value })}
      />
      <TextInput
        label={words.weight}
        description={words.weightAbout(percentOf(all === 0 ? 0 : variant.weight / all))}
        type="number"
        min={0}
        max={100}
        value={variant.weight}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          put({ weight: Number.isNaN(valueAsNumber) ? 0 : Math.round(valueAsNumber) })
        }
      />
      <Checkbox
        label={words.control}
        description={words.controlAbout}
        mt="lg"
        checked={variant.isControl}
        // The control moves by choosing another one.
        disabled={variant.isControl}
        onChange={() => put({ isControl: true })}
      />
    </Group>
  );
}

type Placed = { variant: DraftVariant; index: number };

/** Takes the variant out that is shown, or says why it stays. */
function Removal({ draft, shown, show, change, delivered, isSaving }: Omit<Props, "children">) {
  const variant = draft.variants[shown];
  if (variant === undefined) return null;
  const reason = reasonToStay(variant, delivered);
  const remove = (): void => {
    change(withoutVariant(draft, shown));
    show(
      Math.max(
        0,
        draft.variants.findIndex(({ isControl }) => isControl),
      ),
    );
  };
  const label = words.removeVariant(variant.name);
  // One that is on its way to the server has no id yet by which it could be taken out.
  const disabled = reason !== null || (variant.id === null && isSaving);
  return (
    <Stack gap={4} align="flex-start">
      {losesText(draft, shown) ? (
        <Discard label={label} disabled={disabled} size="xs" discard={remove} />
      ) : (
        <Button variant="default" size="xs" disabled={disabled} onClick={remove}>
          {label}
        </Button>
      )}
      {reason !== null && (
        <Text size="sm" c="dimmed">
          {words.stays[reason]}
        </Text>
      )}
    </Stack>
  );
}

/** Those that were taken out, each with the way back. */
const TakenOut = ({
  variants,
  bringBack,
}: {
  variants: readonly Placed[];
  bringBack: (index: number) => void;
}) =>
  variants.map(({ variant: { id, name }, index }) => (
    <Group key={id} gap="xs">
      <Text size="sm">{words.takenOut(name)}</Text>
      <Button variant="default" size="compact-sm" onClick={() => bringBack(index)}>
        {words.bringBack}
      </Button>
    </Group>
  ));

/** The message of each variant, one at a time. */
export function Variants({ children, ...props }: Props) {
  const { draft, shown, show, change, delivered } = props;
  const placed = draft.variants.map((variant, index): Placed => ({ variant, index }));
  // A weight of 0 that is being typed takes nothing away from under the hand.
  const isGone = ({ variant, index }: Placed): boolean => index !== shown && isTakenOut(variant, delivered);
  const [gone, present] = [placed.filter(isGone), placed.filter((each) => !isGone(each))];
  const add = (): void => {
    change(withNewVariant(draft));
    show(draft.variants.length);
  };
  const bringBack = (index: number): void => {
    change(withVariant(draft, index, { weight: 1 }));
    show(index);
  };
  return (
    <Stack>
      {present.length > 1 && (
        <Tabs value={String(shown)} onChange={(index) => show(Number(index))}>
          <Tabs.List aria-label={words.variants}>
            {present.map(({ variant: { name }, index }) => (
              <Tabs.Tab key={index} value={String(index)} aria-controls="variant-fields">
                {words.variant(name)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      <Stack id="variant-fields">
        {present.length > 1 && <VariantFields draft={draft} shown={shown} change={change} />}
        {children}
        {present.length > 1 && <Removal {...props} />}
      </Stack>
      <TakenOut variants={gone} bringBack={bringBack} />
      <Group>
        {draft.variants.length < MAX_VARIANTS ? (
          <Button variant="default" size="xs" onClick={add}>
            {words.addVariant}
          </Button>
        ) : (
          <Text size="sm">{words.mostVariants}</Text>
        )}
      </Group>
    </Stack>
  );
}
