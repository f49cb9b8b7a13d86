export const words = {
  about:
    "What programs show to be let in. Of all but publishable keys only a hash is kept, so each is shown once, when it is made.",
  kinds: {
    publishable: {
      title: "Publishable keys",
      about:
        "For pages and apps. Everybody can see them: they record what users do, and fetch their messages.",
      line: "The lines for your pages",
    },
    secret: {
      title: "Secret keys",
      about: "For your servers. They may do everything with the project, so no page and no app may have one.",
      line: "So a server calls Tidings",
    },
    agent: {
      title: "Agent keys",
      about:
        "For an agent that looks after campaigns: it reads, and changes only what you allow an agent to.",
      line: "So an agent of your own begins",
    },
    send: {
      title: "Send keys",
      about: "Sends transactional mail, and reads what became of it. Nothing else.",
      line: "So a receipt is sent",
    },
  },
  key: "Key",
  made: "Made",
  ends: "Works until",
  actions: "Actions",
  lasting: "replaced or revoked",
  endsIn: (ending: string) => `ends in ${ending}`,
  wasMade: (at: string) => `was made ${at}`,
  noEnding: "made before Tidings kept the last characters",
  former: "former",
  lent: "lent to Tidings’ own agent",
  stops: "A key stops everywhere within 5 seconds of its end.",
  none: "No key of this kind works now. Make one.",
  make: "Make a key",
  makeOf: (title: string) => `Make a key: ${title}`,
  makeAbout:
    "A further key: those that are there go on working. With one key for each server, each can be revoked by itself.",
  makeNow: "Make it",
  replace: "Replace",
  replaceOf: (title: string) => `Replace: ${title}`,
  replaceAbout: (count: number) =>
    count === 1
      ? "A new key takes the place of the present one, which goes on working for the time that you choose."
      : `One new key takes the place of all ${count}, which go on working for the time that you choose.`,
  grace: "The present ones work for",
  replaceNow: "Replace",
  formerUntil: (at: string) => `What was there before works until ${at}.`,
  formerEnded: "What was there before has stopped.",
  shown: "Copy the key now: it is shown this once.",
  shownPublishable: "This key is no secret, and stays in the list.",
  newKey: "New key",
  close: "Close",
  revoke: "Revoke",
  revokeOf: (name: string) => `Revoke the key that ${name}`,
  revokeTitle: "Revoke this key?",
  revokeAbout: (name: string) =>
    `Whatever still uses the key that ${name} is refused within 5 seconds. Nothing brings the key back.`,
  revokeNow: "Revoke",
  revoked: "The key is revoked.",
} as const;
