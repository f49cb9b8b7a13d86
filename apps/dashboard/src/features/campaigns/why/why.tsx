import { Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { AskUser } from "../../../ui/user/ask-user.tsx";
import { UnknownUser } from "../../../ui/user/unknown-user.tsx";
import { AskWhy } from "../../../ui/why/ask.tsx";

import { words } from "../words.ts";

/** Why one user gets a campaign now, or does not. The question is in the address, so that it can be sent to a colleague. */
export function Why({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const [{ user = "", path = "" }, change] = useAddress();
  return (
    <Stack>
      <Text c="dimmed">{words.whyAbout}</Text>
      <AskWhy
        scope={scope}
        campaign={campaign}
        user={user}
        path={path}
        form={(field) => (
          <AskUser
            user={user}
            more={path}
            ask={(typed, fields) => change({ user: typed, path: String(fields.get("path") ?? "").trim() })}
          >
            {field}
          </AskUser>
        )}
        unknownUser={(typed) => (
          <UnknownUser
            scope={scope}
            typed={typed}
            choose={({ externalUserId }) => change({ user: externalUserId })}
          />
        )}
      />
    </Stack>
  );
}
