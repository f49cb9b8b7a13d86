import type { SettingSet } from "../../../platform/settings/setting.ts";
import { flag, typed, whole } from "../../../platform/settings/typed.ts";
import { NAMES_RULE, namesText, parseNames } from "../projects/names.pure.ts";
import { ORIGINS_RULE, originsText, parseOrigins } from "./origins.pure.ts";

const origins = typed(ORIGINS_RULE, (text) => {
  const found = parseOrigins(text);
  return found === null ? null : originsText(found);
});

const names = typed(NAMES_RULE, (text) => {
  const found = parseNames(text);
  return found === null ? null : namesText(found);
});

/** What a project demands of pages and apps, and takes from them. */
export const perimeterSettings = {
  "identity.required": {
    parse: flag,
    fallback: false,
    label: "Demand proof of who a user is",
    meaning:
      'whether pages and apps have to prove with a userHash who a user is; it needs an identity secret (Settings in the dashboard, or "tidings identity secret")',
  },
  "identity.newAddressesPerHour": {
    parse: whole(0, 1_000_000),
    fallback: 500,
    label: "New addresses per hour",
    meaning:
      "of the email addresses that publishable keys gave in an hour, how many become addresses that mail goes to; more wait for the secret key",
  },
  "identity.serverTraits": {
    parse: names,
    fallback: null,
    label: "Traits for servers alone",
    meaning: "traits that only the secret key sets, with commas between, such as email, plan",
  },
  "identity.serverEvents": {
    parse: names,
    fallback: null,
    label: "Events for servers alone",
    meaning: "events that count only from the secret key, with commas between, such as paid",
  },
  "origins.allowed": {
    parse: origins,
    fallback: null,
    label: "Allowed origins",
    meaning:
      "origins whose pages may use the publishable key, with commas between; by default those of any origin",
  },
} as const satisfies SettingSet;
