import type { ReachRemark } from "./rules.ts";

const remarks: Readonly<Record<ReachRemark, { title: string; about: string; way: string }>> = {
  no_page: {
    title: "No page carries Tidings yet: nobody can see this",
    about: "Messages appear in pages that have the lines of Tidings, and no such page was opened so far.",
    way: "Get the lines for your pages",
  },
  no_user: {
    title: "No user is known yet: nobody can see this",
    about: "Pages with Tidings were opened, and none has said yet which user is there.",
    way: "See how a page says it",
  },
  no_mail_server: {
    title: "Mail cannot leave yet: no mail server is named",
    about: "Without one there is no way out for it.",
    way: "Name a mail server",
  },
  mail_caught: {
    title: "Mail goes nowhere yet: it is caught in the outbox",
    about: "No mail server is named. You can read there what users would get.",
    way: "Look at the outbox",
  },
  no_address: {
    title: "No user has an address: nobody gets mail",
    about: "Mail goes to the trait email of a user, and no user has one.",
    way: "See the users",
  },
  no_credential: {
    title: "Pushes cannot leave yet: there is no credential",
    about: "Apple and Google take pushes only with a key of yours. The key for browsers is made here.",
    way: "Put a credential",
  },
  credential_refused: {
    title: "A push provider refuses a credential: its devices get nothing",
    about: "They keep their tokens, and get what waits for them once there is a credential that it takes.",
    way: "See which one, and why",
  },
  push_caught: {
    title: "Pushes go nowhere yet: a stand-in takes them",
    about:
      "Something on this machine stands in for the push provider, so no phone and no browser shows them.",
    way: "See what pushes need",
  },
  no_device: {
    title: "No device is registered yet: nobody gets pushes",
    about:
      "An app registers a device when it is opened, a site a browser when its user agrees. None has so far.",
    way: "See the devices",
  },
};

export const words = { remarks } as const;
