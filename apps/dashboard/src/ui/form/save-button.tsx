import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentPropsWithoutRef } from "react";
import { useSaveKey } from "../../platform/use-save-key.ts";

type Props = ButtonProps &
  Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> & {
    /** It acts on what the person should have read, so ⌘↵ presses it, and ⌘S does not. */
    isMain?: boolean;
  };

/** The button that saves a form: ⌘S and ⌘↵ press it as well. */
export function SaveButton({ isMain = false, ...button }: Props) {
  return <Button {...button} ref={useSaveKey<HTMLButtonElement>(undefined, isMain)} />;
}
