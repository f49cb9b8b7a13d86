import { Badge, Group, Text } from "@mantine/core";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useMe } from "../../../platform/me.ts";
import { useChange } from "../../../platform/operations.ts";
import type { PersonRole } from "../../../platform/pages.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { words as ui } from "../../../ui/words.ts";
import type { Member } from "../members.ts";
import { words } from "../words.ts";
import { MemberActions } from "./member-actions.tsx";
import { RoleSelect } from "./role-select.tsx";

type Props = { scope: string; members: readonly Member[] };
type OfMember = { scope: string; member: Member };

/** The role of a member at what the page is about. */
const roleHere = ({ role, roles }: Member, scope: string): PersonRole | null =>
  scope === ORGANIZATION ? role : (roles.find(({ projectId }) => projectId === scope)?.role ?? null);

function Name({ scope, member: { id, name, email, isOperator, role, passkeys } }: OfMember) {
  const me = useMe();
  return (
    <>
      <Group gap="xs">
        <Text fw={600}>{name}</Text>
        {id === me.id && <Badge variant="default">{words.you}</Badge>}
        {isOperator && <Badge variant="light">{words.operator}</Badge>}
        {scope !== ORGANIZATION && !isOperator && role !== null && (
          <Badge variant="light">{words.everywhere(role)}</Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {passkeys > 0 ? `${email}, ${words.passkeys(passkeys)}` : email}
      </Text>
    </>
  );
}

function RoleOf({ scope, member }: OfMember) {
  const changing = useChange(scope, "setPersonRole", ["listPeople", "getMe"]);
  const { id, name, isOperator, role } = member;
  if (isOperator) return <Text size="sm">{words.ownsAll}</Text>;
  return (
    <>
      {changing.error !== null && <Problem error={changing.error} />}
      <RoleSelect
        aria-label={words.roleOf(name)}
        value={roleHere(member, scope)}
        placeholder={role === null || scope === ORGANIZATION ? words.noRole : words.asEverywhere}
        disabled={changing.isPending}
        change={(chosen) => changing.mutate({ path: { personId: id }, body: { role: chosen } })}
      />
    </>
  );
}

export function PeopleTable({ scope, members }: Props) {
  const me = useMe();
  const mayRemove = me.role === "owner";
  const rows = members.map((member) => ({
    id: member.id,
    cells: [
      <Name key="name" scope={scope} member={member} />,
      <RoleOf key="role" scope={scope} member={member} />,
      member.lastSeenAt === null ? ui.never : timeOf(member.lastSeenAt),
      mayRemove && member.id !== me.id ? <MemberActions key="actions" member={member} /> : null,
    ],
  }));
  return <Rows heads={[words.person, words.role, words.seen, words.actions]} rows={rows} />;
}
