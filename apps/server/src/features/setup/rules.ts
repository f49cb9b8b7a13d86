import type { Reach, ReachRemark } from "./schema.ts";

/** What a project has of what messages need. */
export type SetupFacts = {
  hasPageView: boolean;
  hasUser: boolean;
  hasAddress: boolean;
  hasDevice: boolean;
  /** Null where a setting of mail cannot be read, so that nothing is known. */
  mail: "server" | "outbox" | "none" | null;
  push: "provider" | "stand_in" | "none";
  /** Whether a push provider refuses a credential. */
  isRefused: boolean;
};

/** What keeps all users from the messages of each channel: what stands in the way of every message first. */
export function channelReach({
  hasPageView,
  hasUser,
  hasAddress,
  hasDevice,
  mail,
  push,
  isRefused,
}: SetupFacts): Reach {
  const applying = (remarks: readonly (ReachRemark | false)[]) =>
    remarks.filter((remark) => remark !== false);
  return {
    // A page that comes brings its user, so that users are missed only where pages do come.
    web_inapp: applying([!hasPageView && "no_page", hasPageView && !hasUser && "no_user"]),
    email: applying([
      mail === "none" && "no_mail_server",
      mail === "outbox" && "mail_caught",
      !hasAddress && "no_address",
    ]),
    push: applying([
      push === "none" && "no_credential",
      isRefused && "credential_refused",
      push === "stand_in" && "push_caught",
      !hasDevice && "no_device",
    ]),
  };
}

const LINES: Readonly<Record<ReachRemark, string>> = {
  no_page: "No page carries Tidings yet: nobody can see it.",
  no_user: "There is no user yet: nobody can see it.",
  no_mail_server: "Mail cannot leave yet: no mail server is named.",
  mail_caught: "Mail goes nowhere yet: the outbox catches it, because no mail server is named.",
  no_address: "No user has an address: nobody gets this mail.",
  no_credential: "Pushes cannot leave yet: there is no push credential.",
  credential_refused:
    "A push provider refuses a credential: the devices of its app get nothing until it is mended.",
  push_caught: "Pushes go nowhere yet: something on this machine stands in for the push provider.",
  no_device: "No device is registered yet: nobody gets this push.",
};

/** What keeps all users from a message, in sentences for people at a command line. */
export const reachLines = (remarks: readonly ReachRemark[]): string[] => remarks.map((each) => LINES[each]);
