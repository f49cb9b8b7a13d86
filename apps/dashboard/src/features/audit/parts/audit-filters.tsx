import { Group, Select } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import type { AuditKinds } from "../kinds.ts";
import { words } from "../words.ts";

/** Narrows the log to a person, and to a kind of change. The address has both. */
export function AuditFilters({ scope, kinds }: { scope: string; kinds: AuditKinds }) {
  const [{ person = "", kind = "" }, change] = useAddress();
  const { data } = useOperation(scope, "listAuditAuthors");
  const names = kinds.map(({ name }) => name);
  const people = (data?.authors ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Group align="flex-end">
      <Select
        label={words.person}
        placeholder={words.anybody}
        data={people}
        value={people.some(({ value }) => value === person) ? person : null}
        clearable
        searchable={people.length > 8}
        onChange={(chosen) => change({ person: chosen ?? "", before: "" })}
      />
      <Select
        label={words.kind}
        placeholder={words.anyKind}
        data={names}
        value={names.includes(kind) ? kind : null}
        clearable
        onChange={(chosen) => change({ kind: chosen ?? "", before: "" })}
      />
    </Group>
  );
}
