import { Select, Text } from "@mantine/core";
import type { PersonRole } from "../../../platform/pages.ts";
import { words } from "../words.ts";

const ROLES = ["viewer", "editor", "approver", "owner"] as const;
const data = ROLES.map((value) => ({ value, label: words.roles[value] }));

type Props = {
  value: PersonRole | null;
  change: (role: PersonRole | null) => void;
  disabled?: boolean;
  /** The text where there is no role; without it there has to be one. */
  placeholder?: string;
} & ({ label: string } | { "aria-label": string });

/** A role to choose, each with what it allows. */
export function RoleSelect({ value, change, disabled = false, placeholder, ...named }: Props) {
  return (
    <Select
      {...named}
      data={data}
      value={value}
      disabled={disabled}
      allowDeselect={false}
      clearable={placeholder !== undefined}
      {...(placeholder !== undefined && { placeholder })}
      comboboxProps={{ width: 280, position: "bottom-start" }}
      renderOption={({ option }) => (
        <div>
          <Text size="sm" fw={600}>
            {option.label}
          </Text>
          <Text size="xs">{words.allows[option.value as PersonRole]}</Text>
        </div>
      )}
      onChange={(chosen) => change(chosen as PersonRole | null)}
    />
  );
}
