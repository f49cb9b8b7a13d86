import { Checkbox, PasswordInput, Select, Textarea, TextInput } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { type Setting, settingText } from "../rules.ts";
import { words } from "../words.ts";

type Props = {
  setting: Setting;
  label: string;
  /** What is typed, or stored. */
  value: string;
  type: (text: string) => void;
  fault: string | null;
};

/** The field that fits a setting. */
export function SettingField({ setting, label, value, type, fault }: Props) {
  const { control, isSecret, isDefault, fallback } = setting;
  const named = { "aria-label": label, "data-field": setting.key, error: fault };
  const shared = { ...named, placeholder: settingText(setting, fallback, words) };
  const line = {
    ...shared,
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => type(currentTarget.value),
  };
  if (isSecret)
    return (
      <PasswordInput
        {...line}
        placeholder=""
        autoComplete="new-password"
        description={isDefault ? words.notSet : words.isSet}
      />
    );
  if (control.kind === "flag") {
    const isOn = value === "" ? fallback === true : value === "true";
    return (
      <Checkbox
        {...named}
        label={isOn ? words.on : words.off}
        checked={isOn}
        onChange={({ currentTarget }) => type(String(currentTarget.checked))}
      />
    );
  }
  if (control.kind === "choice")
    return (
      <Select
        {...shared}
        data={[...control.choices]}
        value={value === "" ? null : value}
        allowDeselect={false}
        clearable={fallback === null}
        onChange={(chosen) => type(chosen ?? "")}
      />
    );
  if (control.kind === "lines") return <Textarea {...line} autosize={false} rows={3} />;
  if (control.kind === "number")
    return (
      <TextInput
        {...line}
        inputMode="numeric"
        description={words.range(numberOf(control.min), numberOf(control.max))}
      />
    );
  return <TextInput {...line} />;
}
