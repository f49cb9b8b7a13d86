import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import { roleAt, useMe } from "../../platform/me.ts";
import { type PersonRole, reaches } from "../../platform/pages.ts";
import { words } from "../words.ts";

type Props = ButtonProps & {
  scope: string;
  needs: PersonRole;
  /** Why it cannot be pressed although the role is there; null where it can. */
  refusal?: string | null;
  onClick: () => void;
};

/** A button for what takes a role. Without it the button stays, and says which role is needed. */
export function RoleButton({ scope, needs, refusal = null, onClick, ...button }: Props) {
  const isOfRole = reaches(roleAt(useMe(), scope), needs);
  const reason = isOfRole ? refusal : words.needs(needs);
  if (reason === null) return <Button {...button} onClick={onClick} />;
  // `data-disabled` looks disabled, and can still be reached, so that the reason can be read.
  return (
    <Tooltip multiline maw="20rem" label={reason} events={{ hover: true, focus: true, touch: true }}>
      <Button {...button} data-disabled aria-disabled onClick={(event) => event.preventDefault()} />
    </Tooltip>
  );
}
