import { Autocomplete } from "@mantine/core";
import { useOperation } from "../../platform/operations.ts";
import { words } from "./words.ts";

type Props = { scope: string; userId: string; choose: (userId: string) => void };

/** Chooses the user whose traits fill the personal fields; finds users while somebody types their id. */
export function AsUser({ scope, userId, choose }: Props) {
  const found = useOperation(
    scope,
    "listUsers",
    { query: { perPage: 8, ...(userId !== "" && { q: userId }) } },
    { refetchInterval: false },
  );
  return (
    <Autocomplete
      label={words.as}
      description={words.asAbout}
      maxLength={256}
      data={[...new Set((found.data?.users ?? []).map(({ externalUserId }) => externalUserId))]}
      filter={({ options }) => options}
      value={userId}
      onChange={choose}
    />
  );
}
