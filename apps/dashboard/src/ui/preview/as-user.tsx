import { Autocomplete } from "@mantine/core";
import { useOperation } from "../../platform/operations.ts";
import { soughtOf } from "../user/sought.pure.ts";
import { UserText } from "../user/user-name.tsx";
import { words } from "./words.ts";

type Props = {
  scope: string;
  userId: string;
  /** Whether it turned out that no user has the id. */
  isForUnknownUser?: boolean;
  choose: (userId: string) => void;
};

/** Chooses the user whose traits fill the personal fields; finds users while a person types an id, an email address or a name. */
export function AsUser({ scope, userId, isForUnknownUser = false, choose }: Props) {
  const typed = soughtOf(userId);
  const still = { refetchInterval: false } as const;
  const newest = useOperation(
    scope,
    "listUsers",
    { query: { perPage: 8 } },
    { ...still, enabled: typed === "" },
  );
  const found = useOperation(scope, "findUsers", { body: { q: typed } }, { ...still, enabled: typed !== "" });
  const users = (typed === "" ? newest : found).data?.users ?? [];
  return (
    <Autocomplete
      label={words.as}
      description={words.asAbout}
      maxLength={256}
      error={isForUnknownUser && words.asUnknown}
      data={[...new Set(users.map(({ externalUserId }) => externalUserId))]}
      renderOption={({ option: { value } }) => <UserText scope={scope} userId={value} />}
      filter={({ options }) => options}
      value={userId}
      onChange={choose}
    />
  );
}
