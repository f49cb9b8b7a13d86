import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import { roleAt, useMe } from "../platform/me.ts";
import { type Role, reaches } from "../platform/pages.ts";
import { words } from "./words.ts";

type Props = ButtonProps & { scope: string; needs: Role; onClick: () => void };

/** A button for what takes a role. Without it the button stays, and says which role is needed. */
export function RoleButton({ scope, needs, onClick, ...button }: Props) {
  const isAllowed = reaches(roleAt(useMe(), scope), needs);
  if (isAllowed) return <Button {...button} onClick={onClick} />;
  // `data-disabled` looks disabled, and can still be reached, so that the reason can be read.
  return (
    <Tooltip label={words.needs(needs)} events={{ hover: true, focus: true, touch: true }}>
      <Button {...button} data-disabled aria-disabled onClick={(event) => event.preventDefault()} />
    </Tooltip>
  );
}
