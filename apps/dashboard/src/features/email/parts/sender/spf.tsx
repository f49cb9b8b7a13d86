import { Group, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { FormEvent } from "react";
import { Problem } from "../../../../ui/problem.tsx";
import { words } from "../../words.ts";
import { Save, useIsOwner } from "./save.tsx";
import { usePrepare } from "./use-prepare.ts";

type Props = { scope: string; spfInclude: string | null };

/** The name that a mail provider wants in the SPF record. */
export function SpfForm({ scope, spfInclude }: Props) {
  const { prepare, error, isPending } = usePrepare(scope);
  const readOnly = !useIsOwner(scope);
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get("spfInclude")).trim();
    prepare({ spfInclude: typed === "" ? null : typed }, () => notifications.show({ message: words.saved }));
  };
  return (
    <form onSubmit={save} key={spfInclude}>
      <Group align="flex-start">
        <TextInput
          name="spfInclude"
          label={words.spfInclude}
          description={words.spfIncludeAbout}
          defaultValue={spfInclude ?? ""}
          maxLength={253}
          readOnly={readOnly}
          w="min(100%, 26rem)"
        />
        {/* Beside the field, below its label. */}
        <div style={{ paddingBlockStart: "1.55rem" }}>
          <Save scope={scope} loading={isPending} />
        </div>
      </Group>
      {error !== null && <Problem error={error} />}
    </form>
  );
}
