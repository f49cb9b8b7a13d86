import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { words } from "../words.ts";

type Props = Pick<PasswordInputProps, "name" | "description" | "mt" | "error"> & {
  value: string;
  change: (value: string) => void;
};

/** A field for a password that is being chosen, with the lengths that the server takes. */
export const NewPassword = ({ change, ...field }: Props) => (
  <PasswordInput
    {...field}
    label={words.newPassword}
    autoComplete="new-password"
    required
    minLength={10}
    maxLength={128}
    onChange={({ currentTarget }) => change(currentTarget.value)}
  />
);
