import { FileButton, Loader, Text, UnstyledButton } from "@mantine/core";
import { type DragEvent, useRef, useState } from "react";
import { roleAt, useMe } from "../../../platform/me.ts";
import { reaches } from "../../../platform/pages.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { words } from "../words.ts";
import classes from "./drop-zone.module.css";

type Props = {
  scope: string;
  label: string;
  /** The file that was chosen is looked at just now. */
  isBusy?: boolean;
  choose: (file: File) => void;
};

type Zone = Omit<Props, "scope"> & { open: () => void };

/** What files are dropped on: a button as well, for the keyboard and for fingers. */
function OpenZone({ label, isBusy = false, choose, open }: Zone) {
  const [isOver, setOver] = useState(false);
  const [isSeveral, setSeveral] = useState(false);
  const over = (event: DragEvent): void => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file, ...others] = event.dataTransfer.files;
    setSeveral(others.length > 0);
    if (file !== undefined && others.length === 0 && !isBusy) choose(file);
  };
  return (
    <UnstyledButton
      className={isOver ? `${classes.zone} ${classes.over}` : classes.zone}
      disabled={isBusy}
      onClick={open}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <span className={classes.title}>{isBusy ? words.preparing : label}</span>
      {isBusy ? (
        <Loader size="xs" component="span" />
      ) : (
        <Text component="span" size="sm" c="dimmed">
          {isSeveral ? words.oneAtATime : words.chooseAbout}
        </Text>
      )}
    </UnstyledButton>
  );
}

/** Where a person chooses a file, or drops it. Without the role of an editor it says which one it takes. */
export function DropZone({ scope, ...zone }: Props) {
  const reset = useRef<() => void>(null);
  const isEditor = reaches(roleAt(useMe(), scope), "editor");
  if (!isEditor)
    return (
      <div>
        <RoleButton scope={scope} needs="editor" onClick={() => undefined}>
          {words.chooseClosed}
        </RoleButton>
      </div>
    );
  const chosen = (file: File | null): void => {
    // The same file may be chosen again, after it was refused.
    reset.current?.();
    if (file !== null) zone.choose(file);
  };
  return (
    <FileButton onChange={chosen} resetRef={reset}>
      {({ onClick }) => <OpenZone {...zone} open={onClick} />}
    </FileButton>
  );
}
