import type { ReactNode } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { NobodyHasIt } from "../../../ui/user/nobody.tsx";
import type { FoundUser } from "../../../ui/user/who.pure.ts";
import { words } from "../words.ts";

type Props = {
  scope: string;
  user: string;
  choose: (user: FoundUser) => void;
  /** Shown where the user is there, and did nothing like that. */
  children: ReactNode;
};

/** In place of events of one user: an id that nobody has is said to be one, because its empty list would look like a quiet user. */
export function NoEventsOf({ scope, user, choose, children }: Props) {
  const found = useOperation(scope, "findUsers", { body: { q: user } }, { refetchInterval: false });
  return (
    <Loaded query={found}>
      {({ users }) =>
        users.some(({ externalUserId }) => externalUserId === user) ? (
          children
        ) : (
          <NobodyHasIt scope={scope} choose={choose} typed={user} title={words.notOwnId} />
        )
      }
    </Loaded>
  );
}
