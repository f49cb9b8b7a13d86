import { Divider, Group, Paper, Stack, Title } from "@mantine/core";
import { Fragment } from "react";
import { To } from "../../../ui/to.tsx";
import type { Drafts, GroupName, Listed, Setting } from "../rules.ts";
import { words } from "../words.ts";
import { IdentitySecret } from "./identity-secret.tsx";
import { SettingRow } from "./setting-row.tsx";

type Props = {
  scope: string;
  name: GroupName;
  settings: readonly Setting[];
  identitySecret: Listed["identitySecret"];
  drafts: Drafts;
  draft: (next: Drafts) => void;
  refused: { key: string; message: string } | null;
};

/** The settings of one subject. */
export function Part({ scope, name, settings, identitySecret, drafts, draft, refused }: Props) {
  const title = words.groups[name];
  return (
    <Paper component="section" aria-label={title} withBorder p="md">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {title}
          </Title>
          {name === "email" && (
            <To scope={scope} path="email" search={{ view: "sender" }}>
              {words.sender}
            </To>
          )}
        </Group>
        {settings.map((setting) => (
          <Fragment key={setting.key}>
            <Divider />
            <SettingRow
              setting={setting}
              drafts={drafts}
              draft={draft}
              fault={refused?.key === setting.key ? refused.message : null}
            />
          </Fragment>
        ))}
        {name === "visitors" && (
          <>
            <Divider />
            <IdentitySecret scope={scope} present={identitySecret} />
          </>
        )}
      </Stack>
    </Paper>
  );
}
