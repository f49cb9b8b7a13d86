import type { Answer } from "@tidings/client";
import type { Channel } from "../../platform/api-types.ts";

export type Setup = Answer<"getSetup">;
/** Something that a whole project lacks before anybody gets a message of a channel. */
export type ReachRemark = Setup["reach"][Channel][number];

type Way = { path: string; search?: Readonly<Record<string, string>> };

/** The page where each is mended, or where one sees what it is about. */
export const WAYS: Readonly<Record<ReachRemark, Way>> = {
  no_page: { path: "overview" },
  no_user: { path: "overview" },
  no_mail_server: { path: "email", search: { view: "sender" } },
  mail_caught: { path: "email", search: { view: "outbox" } },
  no_address: { path: "users" },
  no_credential: { path: "push", search: { view: "credentials" } },
  credential_refused: { path: "push", search: { view: "standing" } },
  push_caught: { path: "push", search: { view: "standing" } },
  no_device: { path: "push", search: { view: "devices" } },
};

/** Whether what is sent lands somewhere on this server, so that no user has it although it looks sent. */
export const isCaught = (remark: ReachRemark): boolean =>
  remark === "mail_caught" || remark === "push_caught";
