import { Group, Select } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Search } from "../../../ui/lists/search.tsx";
import { words } from "../words.ts";

/** Which events are shown: those of a name, of a user. */
export function EventFilters({ scope, name }: { scope: string; name: string }) {
  const [, change] = useAddress();
  const capabilities = useOperation(scope, "getAudienceCapabilities");
  const known = capabilities.data?.capabilities.events.map((event) => event.name) ?? [];
  const names = [...new Set([...known, ...(name === "" ? [] : [name])])].toSorted();
  return (
    <Group align="flex-end">
      <Select
        label={words.name}
        placeholder={words.everyName}
        data={names}
        value={name === "" ? null : name}
        searchable
        clearable
        onChange={(chosen) => change({ name: chosen ?? "", page: "" })}
      />
      <Search label={words.userSearch} as="user" maxLength={256} />
    </Group>
  );
}
