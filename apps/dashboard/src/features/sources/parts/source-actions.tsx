import { Alert, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { describeSourceReason, type Source, type SourceSetup, shortSha } from "../rules.ts";
import { words } from "../words.ts";
import { ChangeForm } from "./source-form.tsx";

type Props = { scope: string; setup: SourceSetup };

const STALE = ["listSources", "getSource", "listAnnouncements"] as const;

/** Asks the repository now, and says what it answered. */
function Check({ scope, source }: { scope: string; source: Source }) {
  const checking = useChange(scope, "checkSource", STALE);
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"owner" as const}
        variant="default"
        loading={checking.isPending}
        onClick={() => checking.mutate({ path: { id: source.id } })}
      >
        {words.check}
      </RoleButton>
      {checking.error !== null && <Problem error={checking.error} />}
      {checking.data !== undefined && (
        <Alert
          role="status"
          {...(checking.data.reason !== null && { color: "red", title: words.checkFailed })}
        >
          {checking.data.reason === null ? (
            words.checkOk(source.branch, shortSha(checking.data.tipSha ?? ""))
          ) : (
            <>
              <Text size="sm">{describeSourceReason(checking.data.reason)}</Text>
              {checking.data.detail !== null && <Text size="sm">{checking.data.detail}</Text>}
            </>
          )}
        </Alert>
      )}
    </>
  );
}

function Remove({ scope, source: { id } }: { scope: string; source: Source }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const removing = useChange(scope, "removeSource", ["listSources", "listAnnouncements", "listDeployments"]);
  const remove = (): void =>
    removing.mutate(
      { path: { id } },
      {
        onSuccess: () => {
          notifications.show({ message: words.removed });
          void navigate({ to: `/p/${scope}/sources` });
        },
      },
    );
  const ask = (): void => {
    removing.reset();
    setAsking(true);
  };
  return (
    <>
      <RoleButton scope={scope} needs={"owner" as const} variant="default" onClick={ask}>
        {words.remove}
      </RoleButton>
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        act={remove}
        change={removing}
        title={words.removeTitle(id)}
        about={words.removeAbout}
        action={words.remove}
      />
    </>
  );
}

/** What owners do about a repository. */
export function SourceActions({ scope, setup }: Props) {
  const [isChanging, setChanging] = useState(false);
  return (
    <Group gap="xs" align="flex-start">
      <Check scope={scope} source={setup.source} />
      <RoleButton scope={scope} needs={"owner" as const} variant="default" onClick={() => setChanging(true)}>
        {words.edit}
      </RoleButton>
      <Remove scope={scope} source={setup.source} />
      {isChanging && <ChangeForm scope={scope} setup={setup} close={() => setChanging(false)} />}
    </Group>
  );
}
