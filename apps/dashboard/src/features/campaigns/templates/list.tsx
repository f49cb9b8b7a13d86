import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../../platform/address.ts";
import type { Campaign } from "../../../platform/api-types.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Search } from "../../../ui/lists/search.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { Page } from "../../../ui/page.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { Views } from "../../../ui/views.tsx";
import { PausedLine } from "../parts/paused-line.tsx";
import { Receipts } from "./parts/receipts.tsx";
import { TemplateBadge } from "./parts/template-badge.tsx";
import { LISTED_CALLS, OWN_MAIL } from "./rules.ts";
import { curlOfSend } from "./send-example.pure.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;

type OfScope = { scope: string };

function cellsOf(scope: string, template: Campaign) {
  const { id, name, key, effectiveStatus, sensitive, stats, createdAt } = template;
  return [
    <div key="name">
      <Anchor component={Link} to={`/p/${scope}/templates/${id}`} fw={600} className={long.long}>
        {name}
      </Anchor>
      <Text size="sm" c="dimmed" className={long.long}>
        {key === OWN_MAIL ? words.ownKey : key}
      </Text>
    </div>,
    <Stack key="status" gap={4} align="flex-start">
      <TemplateBadge status={effectiveStatus} />
      <PausedLine campaign={template} />
    </Stack>,
    // Opens of what is secret are not counted.
    ...LISTED_CALLS.map((each) => (each === "opened" && sensitive ? "–" : numberOf(stats[each]))),
    timeOf(createdAt),
  ];
}

/** What a template is, and how it is sent, where there is none yet. */
const None = () => (
  <Stack>
    <Empty title={words.none} about={words.noneAbout} filtered={null} />
    <Copied text={curlOfSend(location.origin, "receipt", { total: "12.00 €" })} label={words.example} />
  </Stack>
);

function Templates({ scope }: OfScope) {
  const [address, change] = useAddress();
  const { q = "" } = address;
  const templates = useOperation(scope, "listCampaigns", {
    query: {
      purpose: "transactional",
      perPage: PER_PAGE,
      page: pageIn(address),
      ...(q !== "" && { q }),
    },
  });
  return (
    <Stack>
      <Group align="flex-end">
        <Search label={words.search} maxLength={200} />
      </Group>
      <Loaded query={templates}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.name, words.status, ...LISTED_CALLS.map((each) => words.calls[each]), words.made]}
            rows={found.campaigns.map((template) => ({ id: template.id, cells: cellsOf(scope, template) }))}
            empty={
              q !== "" || found.page > 1 ? (
                <Empty
                  title={words.none}
                  about={words.noneAbout}
                  filtered={{ title: words.noMatch, clear: () => change({ q: "", page: "" }) }}
                />
              ) : (
                <None />
              )
            }
          />
        )}
      </Loaded>
    </Stack>
  );
}

/** The templates of receipts, and the receipts that were sent of them. */
export function TemplatesPage({ scope }: OfScope) {
  const navigate = useNavigate();
  const { views } = words;
  return (
    <Page
      about={words.about}
      actions={
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          onClick={() => void navigate({ to: `/p/${scope}/templates/new` })}
        >
          {words.newTemplate}
        </RoleButton>
      }
    >
      <Views
        label={words.sections}
        views={[
          { name: "templates", label: views.templates, content: <Templates scope={scope} /> },
          { name: "sends", label: views.sends, content: <Receipts scope={scope} /> },
        ]}
      />
    </Page>
  );
}
