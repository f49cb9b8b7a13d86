import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { useAddress } from "../../platform/address.ts";

const AFTER_KEYS_MS = 250;

type Props = Pick<TextInputProps, "description" | "maw"> & {
  label: string;
  maxLength: number;
  /** Its name in the address. */
  as?: string;
};

/** A field that searches a list shortly after the last key. The address has what is searched for, as `q` unless it is named otherwise. */
export function Search({ as = "q", ...field }: Props) {
  const [{ [as]: q = "" }, change] = useAddress();
  const input = useRef<HTMLInputElement>(null);
  const search = useDebouncedCallback(
    (typed: string) => change({ [as]: typed, page: "", before: "" }, false),
    AFTER_KEYS_MS,
  );
  useEffect(() => {
    // While a person types, the field is newer than the address. Otherwise the address was changed elsewhere, by "back" for example.
    if (input.current !== null && input.current !== document.activeElement) input.current.value = q;
  }, [q]);
  return (
    <TextInput
      {...field}
      ref={input}
      type="search"
      defaultValue={q}
      onChange={({ currentTarget }) => search(currentTarget.value)}
    />
  );
}
