import { counted } from "../../platform/figures.ts";

export const words = {
  about: (zone: string) =>
    `Who may do what. A role in all projects counts in each of them; of two roles the higher counts. Times are those of ${zone}.`,
  person: "Person",
  role: "Role",
  roleOf: (name: string) => `Role of ${name}`,
  seen: "Last seen",
  actions: "Actions",
  operator: "operator",
  you: "you",
  everywhere: (role: string) => `${role} of all projects`,
  noRole: "no role here",
  asEverywhere: "as in all projects",
  ownsAll: "Owner of all projects",
  roles: { viewer: "Viewer", editor: "Editor", approver: "Approver", owner: "Owner" },
  allows: {
    viewer: "Looks at everything, changes nothing",
    editor: "Makes, changes and launches campaigns",
    approver:
      "As an editor, and decides what agents propose and what launches by itself, clears limits, erases users",
    owner: "As an approver, and decides on people, settings, keys, the sender of mail, repositories",
  },
  invite: "Invite",
  inviteTitle: "Invite a person",
  email: "Email",
  makeLink: "Make the link",
  linkReady: (email: string) =>
    `Send this link to ${email}. It works once, for seven days, and is shown this once.`,
  isHere: (email: string) => `${email} has an account already, and has the role now.`,
  link: "Link",
  close: "Close",
  passwordLink: "Password link",
  passwordReady: (name: string) =>
    `Send this link to ${name}. It works once, for a day, and is shown this once.`,
  passkeys: (count: number) => counted(count, "passkey"),
  removePasskeys: "Remove passkeys",
  removePasskeysTitle: (name: string) => `Remove the passkeys of ${name}?`,
  removePasskeysAbout: "They sign in with their password then, and can make new passkeys.",
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeAbout:
    "Their account, sessions, passkeys and roles are deleted. Open invitations and password links that they made stop working, and so do those that let them in. Keys of projects, approvals and connected repositories stay: replace the keys that they have seen. What they changed stays in the audit log.",
  invitations: "Open invitations",
  invitedBy: (name: string, until: string) => `by ${name}, until ${until}`,
  withdraw: "Withdraw",
} as const;
