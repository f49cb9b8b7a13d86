import { Divider } from "@mantine/core";
import { Fragment } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { NoAgentAtWork } from "../../../ui/at-work/unattended.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import type { Drafts, GroupName, ListedSettings, Setting } from "../rules.ts";
import { words } from "../words.ts";
import { IdentitySecret } from "./identity-secret.tsx";
import { LastWeek } from "./last-week.tsx";
import { SettingRow } from "./setting-row.tsx";

type Props = {
  scope: string;
  name: GroupName;
  settings: readonly Setting[];
  /** Left out where the part does not show it; null where there is none yet. */
  identitySecret?: ListedSettings["identitySecret"];
  drafts: Drafts;
  draft: (next: Drafts) => void;
  refused: { key: string; message: string } | null;
};

/** The settings of one subject. */
export function SettingsPart({ scope, name, settings, identitySecret, drafts, draft, refused }: Props) {
  return (
    <Section
      title={words.groups[name]}
      isFramed
      actions={
        name === "email" && (
          <To scope={scope} path="email" search={{ view: "sender" }}>
            {words.sender}
          </To>
        )
      }
    >
      {name === "agent" && scope !== ORGANIZATION && <NoAgentAtWork scope={scope} />}
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
      {name === "time" && (
        <>
          <Divider />
          <LastWeek scope={scope} drafts={drafts} />
        </>
      )}
      {identitySecret !== undefined && (
        <>
          <Divider />
          <IdentitySecret scope={scope} present={identitySecret} />
        </>
      )}
    </Section>
  );
}
