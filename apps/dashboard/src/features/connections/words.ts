export const words = {
  about:
    "Keep the library that your product has: what those of Segment and RudderStack send comes here once they are given this address.",
  sections: "Parts of the connections",
  views: { incoming: "What comes in", connect: "Connect a library" },

  back: "Time back",
  backs: { "24": "The last day", "168": "The last 7 days", "720": "The last 30 days" },
  since: (time: string) => `Calls since ${time}. What comes now appears within five seconds.`,
  calls: "Calls",
  callsAbout:
    "What was taken is stored. A call that is sent again is counted here once more, and changes nothing.",
  library: "Library",
  call: "Call",
  taken: "Taken",
  notTaken: "Not taken",
  last: "Last seen",
  unknownLibrary: "no name given",
  otherLibraries: "further libraries",
  unknownCall: "no known call",
  none: "No library has sent anything in this time.",
  noneAbout: "Give one this server’s address and a key of the project. Its calls are then listed here.",
  connect: "Connect a library",

  problems: "What was not taken as it came",
  problemsAbout:
    "Libraries learn nothing of this: they go on, and send nothing again. So each reason is counted here.",
  noProblems: "Every call was taken as it came.",
  why: "Why",
  outcome: "Outcome",
  refused: "Not taken",
  changed: "Taken, changed",
  from: "From",
  callOf: (call: string, library: string) => `${call}, ${library}`,
  count: "How many",
  names: (names: string) => `Such as: ${names}`,

  becomes: "What becomes of calls",
  becomesAbout: [
    "identify makes the user known and merges what it says of them; track records an event.",
    "page and screen record the events page and screen, unless the setting intake.pages leaves them out.",
    "group becomes the trait group of its user. alias joins a visitor with a user, and never two users.",
    "Calls without a user id are of visitors before they sign in. They are kept where the setting “Keep visitors before they sign in” is on; once a visitor signs in (identify), all of it is the user’s. Where it is off, they are counted and stored nowhere.",
    "What is not taken, or not as it came, is listed under “What comes in” with the reason. Nothing is lost without a word.",
  ],
  connectAbout: "Find what your product has, and paste its lines there.",
  secretKey: "In place of pk_… goes a secret key, and only on servers. It was shown once, when it was made.",
  secretKeyElse: "Owners make a further one under Keys.",
  makeKey: "Make a further one under Keys",
  noPublishableKey: "This project has no publishable key. An owner makes one under Keys.",
  linesFor: (library: string) => `Lines for ${library}`,
  libraries: {
    browser: {
      title: "Browser (analytics.js)",
      about:
        "For pages that have the npm package @segment/analytics-next. Nothing else changes: it is told here where to send. The key is the publishable one, which everybody may see.",
    },
    node: { title: "Node.js (Segment)", about: "For servers that have @segment/analytics-node." },
    servers: {
      title: "Server in another language (Segment)",
      about:
        "For Segment’s libraries for Python, Ruby, Go, Java, PHP and .NET. Set the host of the library, which some of them call endpoint, to this address; its write key is the secret key.",
    },
    rudder: { title: "RudderStack (Node.js)", about: "For servers that have @rudderstack/rudder-sdk-node." },
    http: {
      title: "HTTP",
      about:
        "For everything else that can send a request. Sent again with the same messageId, a call counts once.",
    },
  },
} as const;
