import { Badge, Group, Select, Table, Text } from "@mantine/core";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useMe } from "../../../platform/me.ts";
import { useChange } from "../../../platform/operations.ts";
import type { Role } from "../../../platform/pages.ts";
import { timeOf } from "../../../platform/times.ts";
import { Problem } from "../../../ui/problem.tsx";
import { words as ui } from "../../../ui/words.ts";
import { type Member, rolesToChoose } from "../roles.ts";
import { words } from "../words.ts";
import { MemberActions } from "./member-actions.tsx";

type Props = { scope: string; members: readonly Member[] };

/** The role of a member at what the page is about. */
const roleHere = ({ role, roles }: Member, scope: string): Role | null =>
  scope === ORGANIZATION ? role : (roles.find(({ projectId }) => projectId === scope)?.role ?? null);

function MemberRow({ scope, member }: { scope: string; member: Member }) {
  const me = useMe();
  const changing = useChange(scope, "setPersonRole", ["listPeople", "getMe"]);
  const { id, name, email, isOperator, role, lastSeenAt } = member;
  const isEverywhere = scope === ORGANIZATION;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          {id === me.id && <Badge variant="default">{words.you}</Badge>}
          {isOperator && <Badge variant="light">{words.operator}</Badge>}
          {!isEverywhere && role !== null && <Badge variant="light">{words.everywhere(role)}</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {email}
        </Text>
        {changing.error !== null && <Problem error={changing.error} />}
      </Table.Td>
      <Table.Td>
        <Select
          aria-label={words.roleOf(name)}
          data={rolesToChoose}
          value={roleHere(member, scope)}
          placeholder={role === null || isEverywhere ? words.noRole : words.asEverywhere}
          clearable
          miw={220}
          disabled={isOperator || changing.isPending}
          onChange={(chosen) =>
            changing.mutate({ path: { personId: id }, body: { role: chosen as Role | null } })
          }
        />
      </Table.Td>
      <Table.Td>{lastSeenAt === null ? ui.never : timeOf(lastSeenAt)}</Table.Td>
      <Table.Td>{me.role === "owner" && id !== me.id && <MemberActions member={member} />}</Table.Td>
    </Table.Tr>
  );
}

export function PeopleTable({ scope, members }: Props) {
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.person}</Table.Th>
            <Table.Th>{words.role}</Table.Th>
            <Table.Th>{words.seen}</Table.Th>
            <Table.Th>{words.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((member) => (
            <MemberRow key={member.id} scope={scope} member={member} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
