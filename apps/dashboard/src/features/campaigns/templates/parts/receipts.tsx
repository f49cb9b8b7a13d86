import { Anchor, Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAddress } from "../../../../platform/address.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { timeOf } from "../../../../platform/times.ts";
import { Empty } from "../../../../ui/lists/empty.tsx";
import { Older } from "../../../../ui/lists/older.tsx";
import { Rows } from "../../../../ui/lists/rows.tsx";
import { Loaded } from "../../../../ui/loaded.tsx";
import long from "../../../../ui/look/long.module.css";
import { optionsOf } from "../../../../ui/options.ts";
import { OWN_MAIL, RECEIPT_STATES, type Receipt } from "../rules.ts";
import { words } from "../words.ts";
import { ReceiptBadge } from "./receipt-badge.tsx";

const PER_PAGE = 25;
const MOST_TEMPLATES = 100;

type OfScope = { scope: string };

const cellsOf = (scope: string, { id, subject, to, state, reason, requestedAt }: Receipt) => [
  timeOf(requestedAt),
  <Text key="to" size="sm" className={long.long}>
    {to ?? words.unknownAddress}
  </Text>,
  <Anchor
    key="subject"
    component={Link}
    to={`/p/${scope}/templates/receipts/${id}`}
    size="sm"
    fw={600}
    className={long.long}
  >
    {subject ?? words.noSubject}
  </Anchor>,
  <Stack key="state" gap={2} align="flex-start">
    <ReceiptBadge state={state} />
    {reason !== null && (
      <Text size="xs" c="dimmed" className={long.long}>
        {reason}
      </Text>
    )}
  </Stack>,
];

/** Which template the receipts are of; those of what code writes itself as well. */
function TemplateChoice({ scope }: OfScope) {
  const [{ template = "" }, change] = useAddress();
  const { data } = useOperation(scope, "listCampaigns", {
    query: { purpose: "transactional", perPage: MOST_TEMPLATES },
  });
  const known = (data?.campaigns ?? []).flatMap(({ key, name }) =>
    key === null ? [] : [{ value: key, label: key === OWN_MAIL ? words.ownMail : name }],
  );
  // One that the address names stands there although the list of templates has not come yet, or has no room for it.
  const isListed = template === "" || known.some(({ value }) => value === template);
  return (
    <NativeSelect
      label={words.template}
      data={[
        { value: "", label: words.everyTemplate },
        ...known,
        ...(isListed ? [] : [{ value: template, label: template }]),
      ]}
      value={template}
      onChange={({ currentTarget: { value } }) => change({ template: value, before: "" })}
    />
  );
}

/** Says whose receipts alone the address asks for, with the way to all. */
function OfUser() {
  const [{ user = "" }, change] = useAddress();
  if (user === "") return null;
  return (
    <Group gap="xs">
      <Text size="sm" className={long.long}>
        {words.ofUser(user)}
      </Text>
      <Button variant="default" size="xs" onClick={() => change({ user: "", before: "" })}>
        {words.ofEveryone}
      </Button>
    </Group>
  );
}

type Props = OfScope & {
  /** The key of the template whose receipts are listed; all where it is left out. */
  templateKey?: string;
};

/** Mails that code has requested, the newest first, with what became of each. */
export function Receipts({ scope, templateKey }: Props) {
  const [address, change] = useAddress();
  const { before = "", user = "", state: chosen = "" } = address;
  const state = RECEIPT_STATES.find((each) => each === chosen);
  const template = templateKey ?? address.template ?? "";
  const found = useOperation(scope, "listSends", {
    query: {
      limit: PER_PAGE,
      ...(template !== "" && { template }),
      ...(state !== undefined && { state }),
      ...(user !== "" && { userId: user }),
      ...(before !== "" && { before }),
    },
  });
  const isFiltered =
    state !== undefined || user !== "" || before !== "" || (templateKey === undefined && template !== "");
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label={words.state}
          data={[{ value: "", label: words.everyState }, ...optionsOf(words.states)]}
          value={state ?? ""}
          onChange={({ currentTarget: { value } }) => change({ state: value, before: "" })}
        />
        {templateKey === undefined && <TemplateChoice scope={scope} />}
      </Group>
      <OfUser />
      <Loaded query={found}>
        {({ sends, next }) => (
          <Stack>
            {sends.length === 0 ? (
              <Empty
                title={words.noSends}
                about={words.noSendsAbout}
                filtered={
                  isFiltered
                    ? {
                        title: words.noSendLikeThat,
                        clear: () => change({ state: "", template: "", user: "", before: "" }),
                      }
                    : null
                }
              />
            ) : (
              <Rows
                heads={[words.when, words.to, words.subject, words.state]}
                rows={sends.map((receipt) => ({ id: receipt.id, cells: cellsOf(scope, receipt) }))}
              />
            )}
            <Older next={next} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
