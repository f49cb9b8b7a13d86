import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { type Credential, describeWay } from "../rules.ts";
import { words } from "../words.ts";
import { BrowsersOf } from "./browsers.tsx";
import { CredentialForm } from "./credential-form.tsx";

/** The credentials that pushes are sent with, without their keys. */
export function Credentials({ scope }: { scope: string }) {
  const found = useOperation(scope, "listPushCredentials", {});
  const standing = useOperation(scope, "getPushStanding", {});
  const [form, setForm] = useState<{ replaces: Credential | null } | null>(null);
  const stateOf = ({ appId, platform, environment }: Credential): string => {
    const way = standing.data?.ways.find(
      (each) => each.appId === appId && each.platform === platform && each.environment === environment,
    );
    return words.credentials[way?.credential ?? "usable"];
  };
  const cellsOf = (credential: Credential) => [
    <Text key="app" fw={600} className={classes.long}>
      {credential.appId}
    </Text>,
    describeWay(credential),
    stateOf(credential),
    String(credential.revision),
    <RoleButton
      key="replace"
      scope={scope}
      needs={"owner" as const}
      size="xs"
      variant="default"
      aria-label={words.replaceOf(credential.appId, describeWay(credential))}
      onClick={() => setForm({ replaces: credential })}
    >
      {words.replace}
    </RoleButton>,
  ];
  return (
    <Stack align="stretch">
      <div>
        <RoleButton scope={scope} needs={"owner" as const} onClick={() => setForm({ replaces: null })}>
          {words.put}
        </RoleButton>
      </div>
      <Loaded query={found}>
        {({ credentials }) =>
          credentials.length === 0 ? (
            <Empty title={words.noCredentials} about={words.noCredentialsAbout} filtered={null} />
          ) : (
            <Stack gap="xl">
              <Rows
                heads={[words.app, words.place, words.status, words.revision, words.actions]}
                rows={credentials.map((each) => ({ id: each.id, cells: cellsOf(each) }))}
              />
              {credentials.map(
                (each) =>
                  each.applicationServerKey !== null && (
                    <BrowsersOf
                      key={each.id}
                      scope={scope}
                      credential={each}
                      applicationServerKey={each.applicationServerKey}
                    />
                  ),
              )}
            </Stack>
          )
        }
      </Loaded>
      {form !== null && (
        <CredentialForm
          scope={scope}
          replaces={form.replaces}
          known={found.data?.credentials ?? []}
          close={() => setForm(null)}
        />
      )}
    </Stack>
  );
}
