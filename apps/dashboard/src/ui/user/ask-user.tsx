import { Button, Group, TextInput } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import classes from "./ask-user.module.css";
import { words } from "./words.ts";

type Props = {
  user: string;
  /** What else is asked, as the address has it: another one renews the fields. */
  more?: string;
  /** Takes the user, without the blanks that come along when an id is pasted, and the other fields by their names. */
  ask: (user: string, fields: FormData) => void;
  /** Further fields. */
  children?: ReactNode;
};

/** Asks about one user: by the id, or by what else is known. */
export function AskUser({ user, more = "", ask, children }: Props) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    ask(String(fields.get("user") ?? "").trim(), fields);
  };
  return (
    // The key brings what "back" leads to into the fields.
    <form onSubmit={submit} key={JSON.stringify([user, more])}>
      <Group align="flex-start">
        <TextInput
          name="user"
          label={words.user}
          description={words.about}
          defaultValue={user}
          maxLength={256}
          className={classes.field}
          required
        />
        {children}
        <Button type="submit" className={classes.ask}>
          {words.ask}
        </Button>
      </Group>
    </form>
  );
}
