import { type FormEvent, type ReactNode, type SyntheticEvent, useState } from "react";
import { words } from "../words.ts";

type Field = HTMLInputElement | HTMLTextAreaElement;

/** What is wrong with a field that the browser does not send, in words of ours. */
function faultOfField({ validity, minLength, type }: Field): string {
  if (validity.valueMissing) return words.isEmpty;
  if (validity.tooShort) return words.isTooShort(minLength);
  if (validity.typeMismatch) return type === "email" ? words.isNoEmail : words.isNoAddress;
  return words.isNotValid;
}

type Props = {
  submit: () => void;
  /** The fields; each shows what is wrong with it, by its name. */
  children: (faultOf: (name: string) => string | undefined) => ReactNode;
};

/** A form whose fields say by themselves what is wrong with them, once it was to be sent: the browser's bubble would cover the button. */
export function CheckedForm({ submit, children }: Props) {
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    submit();
  };
  const refuse = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // Only fields are checked.
    const field = event.target as unknown as Field;
    setFaults((before) => ({ ...before, [field.name]: faultOfField(field) }));
    event.currentTarget.querySelector<Field>(":invalid:not(fieldset)")?.focus();
  };
  const hear = ({ target }: SyntheticEvent): void => {
    const { name } = target as Field;
    setFaults(({ [name]: _, ...others }) => others);
  };
  return (
    <form onSubmit={send} onInvalidCapture={refuse} onInput={hear}>
      {children((name) => faults[name])}
    </form>
  );
}
