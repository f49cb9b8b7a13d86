import type { Input } from "@tidings/client";
import { PLATFORMS } from "./rules.ts";

type Query = NonNullable<NonNullable<Input<"listInstallations">>["query"]>;
export type Filter = Pick<Query, "q" | "appId" | "platform" | "permission" | "consent" | "hasToken">;

const PERMISSIONS = ["granted", "provisional", "denied", "not_determined", "unknown"] as const;
const ANSWERS = ["true", "false"] as const;

/** The address of a list without conditions. */
export const NO_FILTER = { q: "", app: "", platform: "", token: "", permission: "", consent: "" };

/** What an address asks of the list of devices; what cannot be asked is left out. */
export function filterIn(address: Readonly<Record<string, string>>): Filter {
  const { q = "", app = "" } = address;
  const platform = PLATFORMS.find((each) => each === address.platform);
  const permission = PERMISSIONS.find((each) => each === address.permission);
  const consent = ANSWERS.find((each) => each === address.consent);
  const hasToken = ANSWERS.find((each) => each === address.token);
  return {
    ...(q !== "" && { q }),
    ...(app !== "" && { appId: app }),
    ...(platform !== undefined && { platform }),
    ...(permission !== undefined && { permission }),
    ...(consent !== undefined && { consent }),
    ...(hasToken !== undefined && { hasToken }),
  };
}

export const isFiltered = (filter: Filter): boolean => Object.keys(filter).length > 0;
