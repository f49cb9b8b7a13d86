import "./ui/look/styles.ts";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { account } from "./features/account/pages.ts";
import { agent, agentRun } from "./features/agent/pages.ts";
import { activation, approvals, proposal } from "./features/approvals/pages.ts";
import { audit } from "./features/audit/pages.ts";
import {
  campaign,
  campaigns,
  editCampaign,
  editTemplate,
  newCampaign,
  newTemplate,
  receipt,
  template,
  templates,
} from "./features/campaigns/pages.ts";
import { connections } from "./features/connections/pages.ts";
import { email } from "./features/email/pages.ts";
import { events } from "./features/events/pages.ts";
import { editGoal, goal, goals, newGoal } from "./features/goals/pages.ts";
import { importFile, imports } from "./features/imports/pages.ts";
import { editJourney, journey, journeys, newJourney } from "./features/journeys/pages.ts";
import { keys } from "./features/keys/pages.ts";
import { overview } from "./features/overview/pages.ts";
import { people } from "./features/people/pages.ts";
import { device, push, pushCampaign } from "./features/push/pages.ts";
import { editSegment, newSegment, segment, segments } from "./features/segments/pages.ts";
import { settings } from "./features/settings/pages.ts";
import { source, sources } from "./features/sources/pages.ts";
import { sync, syncs } from "./features/syncs/pages.ts";
import { system } from "./features/system/pages.ts";
import { topics } from "./features/topics/pages.ts";
import { usage } from "./features/usage/pages.ts";
import { user, users } from "./features/users/pages.ts";
import { webhook, webhooks } from "./features/webhooks/pages.ts";
import { readAddress, writeAddress } from "./platform/address.ts";
import { isFinal } from "./platform/client.ts";
import { Broken } from "./shell/broken.tsx";
import { ConfirmationProvider } from "./shell/confirm.tsx";
import { routesOf } from "./shell/routes.tsx";
import { cssVariables, theme } from "./ui/look/theme.ts";

/** The pages of every feature, in the order of the navigation. This list alone sees all of them. */
const pages = [
  overview,
  campaigns,
  campaign,
  newCampaign,
  editCampaign,
  journeys,
  journey,
  newJourney,
  editJourney,
  templates,
  template,
  newTemplate,
  editTemplate,
  receipt,
  topics,
  goals,
  goal,
  newGoal,
  editGoal,
  approvals,
  proposal,
  activation,
  agent,
  agentRun,
  sources,
  source,
  users,
  user,
  segments,
  segment,
  newSegment,
  editSegment,
  events,
  imports,
  importFile,
  email,
  push,
  device,
  pushCampaign,
  settings,
  keys,
  connections,
  webhooks,
  webhook,
  syncs,
  sync,
  people,
  usage,
  audit,
  system,
  account,
];

const TRIES = 2;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchInterval: 15_000,
      staleTime: 5_000,
      retry: (failures, error) => failures < TRIES && !isFinal(error),
    },
  },
});

const router = createRouter({
  routeTree: routesOf(pages),
  basepath: "/app",
  defaultPreload: "intent",
  defaultErrorComponent: Broken,
  parseSearch: readAddress,
  stringifySearch: writeAddress,
});

// The server allows only styles with the nonce of this answer: those of Mantine, and of what keeps the page still behind a dialog.
const nonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute("content") ?? "";
setNonce(nonce);

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <ConfirmationProvider>
          <RouterProvider router={router} />
        </ConfirmationProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
