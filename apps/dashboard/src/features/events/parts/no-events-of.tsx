import type { ReactNode } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import type { FoundUser } from "../../../ui/user/sought.pure.ts";
import { UnknownUser } from "../../../ui/user/unknown-user.tsx";
import { words } from "../words.ts";

type Props = {
  scope: string;
  user: string;
  choose: (user: FoundUser) => void;
  /** Shown where the user is there, and did nothing like that. */
  children: ReactNode;
};

/** In place of events of one user. It says so where no user has the id, because an empty list would look like a quiet user. */
export function NoEventsOf({ scope, user, choose, children }: Props) {
  const found = useOperation(scope, "findUsers", { body: { q: user } }, { refetchInterval: false });
  return (
    <Loaded query={found}>
      {({ users }) =>
        users.some(({ externalUserId }) => externalUserId === user) ? (
          children
        ) : (
          <UnknownUser scope={scope} choose={choose} typed={user} title={words.notOwnId} />
        )
      }
    </Loaded>
  );
}
