import { Group, Text } from "@mantine/core";
import type { Campaign, CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import classes from "../../../ui/look/long.module.css";
import { To } from "../../../ui/to.tsx";
import { type InFlight, onceOf, sendingOf } from "../rules.ts";
import { words } from "../words.ts";

const Line = ({ text }: { text: string }) => (
  <Text size="sm" className={classes.long}>
    {text}
  </Text>
);

/** How a campaign goes on in a list: where it is sent once, or was. */
export function OnceInList({ campaign }: { campaign: Campaign }) {
  const text = onceOf(campaign);
  return text === null ? null : (
    <Text size="sm" c="dimmed" className={classes.long}>
      {text}
    </Text>
  );
}

type OfCampaign = { scope: string; campaign: CampaignDetail };

/** What of a campaign that is sent once is not finished yet; undefined until it is known. */
function useInFlight(scope: string, { id, channel }: CampaignDetail): InFlight | undefined {
  const isMail = channel === "email";
  const email = useOperation(scope, "getCampaignEmail", { path: { id } }, { enabled: isMail }).data;
  const push = useOperation(
    scope,
    "getCampaignPush",
    { path: { id }, query: { perPage: 1 } },
    { enabled: !isMail },
  ).data;
  if (email !== undefined) return { left: email.waiting + email.sending, unknown: email.unknown };
  return push === undefined ? undefined : { left: push.devices.waiting, unknown: 0 };
}

/** How far a campaign is that is sent once, and what it waits for. */
function Sending({ scope, campaign }: OfCampaign) {
  const inFlight = useInFlight(scope, campaign);
  if (inFlight === undefined) return null;
  return (
    <Group gap="sm" role="status">
      <Line text={sendingOf(campaign, inFlight)} />
      {inFlight.unknown > 0 && (
        <To scope={scope} path="email" search={{ view: "unknown" }}>
          {words.decideUnknown}
        </To>
      )}
    </Group>
  );
}

/** Whether a campaign of email or push is sent once, with how far it is, or goes on; nothing where it is over. */
export function Once({ scope, campaign }: OfCampaign) {
  const { channel, effectiveStatus, once } = campaign;
  if (channel === "web_inapp" || effectiveStatus === "ended" || effectiveStatus === "expired") return null;
  if (once && effectiveStatus === "running") return <Sending scope={scope} campaign={campaign} />;
  return <Line text={once ? words.isSentOnce : words.goesOn} />;
}
