import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import classes from "../../../ui/look/long.module.css";
import { To } from "../../../ui/to.tsx";
import { shortId } from "../../../ui/user/short-id.pure.ts";
import type { User, UserMail } from "../rules.ts";
import { words } from "../words.ts";

type OfUser = { scope: string; user: User };

/** The most devices that are named. */
const MOST_DEVICES = 3;

const Line = ({ children }: { children: ReactNode }) => (
  <Text size="sm" className={classes.long}>
    {children}
  </Text>
);

function Mail({ scope, mail }: { scope: string; mail: UserMail }) {
  const { address, isConfirmed, stop, receiptsStoppedBy, receiptsStoppedAt } = mail;
  if (address === null) return <Line>{words.noAddress}</Line>;
  if (stop === null)
    return (
      <Line>
        {(isConfirmed ? words.getsMail : words.unconfirmed)(address)}
        {receiptsStoppedBy !== null && words.noReceipts(timeOf(receiptsStoppedAt ?? 0))}
      </Line>
    );
  const { reason, since, by, campaign } = stop;
  return (
    <Line>
      {words.stops[reason](address, timeOf(since))}
      {by !== null && words.stoppedBy(by)}
      {campaign !== null && (
        <>
          {words.stoppedFrom}
          <To scope={scope} path={`campaigns/${campaign.id}`}>
            {campaign.name}
          </To>
        </>
      )}
    </Line>
  );
}

function Devices({ scope, user: { externalUserId } }: OfUser) {
  const { data } = useOperation(scope, "listInstallations", {
    query: { userId: externalUserId, perPage: MOST_DEVICES },
  });
  if (data === undefined) return null;
  const { installations, total } = data;
  if (total === 0) return <Line>{words.noDevice}</Line>;
  return (
    <Line>
      {installations.map(({ id, appId, platform, hasToken }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <To scope={scope} path={`push/devices/${encodeURIComponent(id)}`}>
            {words.deviceOf(appId, platform)}
          </To>{" "}
          {words.tokens[hasToken ? "true" : "false"]}
        </span>
      ))}
      {total > installations.length && ` ${words.moreDevices(total - installations.length)}`}
    </Line>
  );
}

/** A user at a glance: the id, whether mail and pushes reach them, when they were seen. */
export function UserReach({ scope, user }: OfUser) {
  const { id, externalUserId, firstSeenAt, lastSeenAt } = user;
  const { data: mail } = useOperation(scope, "getUserMail", { path: { id } });
  return (
    <Stack gap={4}>
      <Line>
        <bdi title={externalUserId}>{shortId(externalUserId)}</bdi>
      </Line>
      {mail !== undefined && <Mail scope={scope} mail={mail} />}
      <Devices scope={scope} user={user} />
      <Text size="sm" c="dimmed">
        {words.seen(timeOf(firstSeenAt), timeOf(lastSeenAt))}
      </Text>
    </Stack>
  );
}
