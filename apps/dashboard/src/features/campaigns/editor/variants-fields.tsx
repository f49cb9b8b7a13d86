import { Button, Checkbox, Group, Stack, Tabs, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { percentOf } from "../../../platform/figures.ts";
import { type Draft, MAX_VARIANTS, withNewVariant, withVariant } from "./draft.ts";
import { words } from "./words.ts";

type Props = {
  draft: Draft;
  /** The place of the variant that is shown. */
  shown: number;
  show: (index: number) => void;
  change: (draft: Draft) => void;
  /** The fields of its message. */
  children: ReactNode;
};

/** Name, share and role of one variant among several. */
function VariantFields({ draft, shown, change }: Omit<Props, "show" | "children">) {
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

/** The message of each variant, one at a time. */
export function Variants({ draft, shown, show, change, children }: Props) {
  const { variants } = draft;
  const add = (): void => {
    change(withNewVariant(draft));
    show(variants.length);
  };
  return (
    <Stack>
      {variants.length > 1 && (
        <Tabs value={String(shown)} onChange={(index) => show(Number(index))}>
          <Tabs.List aria-label={words.variants}>
            {variants.map(({ name }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: variants keep their places, and a new one has no id yet.
              <Tabs.Tab key={index} value={String(index)} aria-controls="variant-fields">
                {words.variant(name)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      )}
      <Stack id="variant-fields">
        {variants.length > 1 && <VariantFields {...{ draft, shown, change }} />}
        {children}
      </Stack>
      <Group>
        {variants.length < MAX_VARIANTS ? (
          <Button variant="default" size="xs" onClick={add}>
            {words.addVariant}
          </Button>
        ) : (
          <Text size="sm">{words.variants}</Text>
        )}
      </Group>
    </Stack>
  );
}
