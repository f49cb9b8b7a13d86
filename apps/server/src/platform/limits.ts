/**
 * Ceilings of this server, each of which `LIMITS` can change: how much may be stored of a user and of a project, and what a request may
 * cost. Each has its row in docs/running.md, which a test compares with this list. Requests per minute are in `http/budget.ts`.
 */
export const defaultLimits = {
  /** Bytes of a user's traits, as PostgreSQL writes JSON: a space after each comma and colon. */
  userTraitBytes: 32_768,
  /** Traits of a user. */
  userTraitKeys: 200,
  /** Different event names of a user. */
  userEventNames: 1_000,
  /** Test mails of a project that leave within an hour. */
  testMailsPerHour: 20,
  /** Pushes of a project that a process has under way at once. */
  pushesUnderWay: 500,
  /** Mails an hour that a process reads for a report of one message. */
  reportsPerMessage: 20,
  /** Milliseconds that one statement of a request may take: a report, a list, a change of the configuration. */
  requestStatementMs: 20_000,
  /** Milliseconds that one statement of the group commits and the feed may take, waiting for locks included. */
  hotStatementMs: 5_000,
  /** Expensive reads of one project under way at once, per process. */
  heavyReadsPerProject: 1,
  /** Milliseconds that an expensive read waits for its turn. */
  heavyReadWaitMs: 10_000,
  /** Expensive reads of one project that wait for their turn, per process. */
  heavyReadsWaiting: 20,
  /** Users, those first seen last, among whom a part of an id, an address or a name is looked for. */
  usersSearched: 100_000,
  /** Deliveries of a campaign, the newest ones, among which a list looks for those in a state. */
  deliveriesSearched: 100_000,
  /** Rows of one kind (events, users, …) that wait for a statement, per process. */
  waitingRows: 20_000,
  /** Bytes of bodies of more than 64 KiB that are read and not answered yet, per process. */
  largeBodyBytes: 67_108_864,
  /** Requests that wait for a database connection, per process. */
  waitingForConnection: 500,
  /** Requests a minute with keys that do not exist, of one address, per process. */
  unknownKeysPerAddress: 600,
  /** The same of all addresses together. */
  unknownKeys: 6_000,
  /** Requests a minute of one person who is signed in, per process. */
  requestsPerPerson: 600,
  /** The same of all people together. */
  requestsOfPeople: 60_000,
  /** Requests a minute with links that let people in, of one address, per process. */
  entryRequestsPerAddress: 600,
  /** The same of all addresses together. */
  entryRequests: 6_000,
  /** Wrong tries a minute to sign in to one account, per process; of each browser that has signed in to it before, as many again. */
  signInsPerAccount: 10,
  /** The same of one address, to any accounts, where its browser is not known. */
  failedSignInsPerAddress: 60,
  /** Passwords that are compared at once, per process: each takes a processor for a moment. */
  passwordChecks: 4,
  /** Passwords that wait to be compared, per process. */
  passwordChecksWaiting: 500,
  /** Challenges a minute for passkeys, of one address, per process. */
  passkeyRequestsPerAddress: 30,
  /** The same of all addresses together. */
  passkeyRequests: 3_000,
  /** Requests a minute for what links in mail lead to (`/e/…`), of one address, per process. */
  linkRequestsPerAddress: 60_000,
  /** The same of all addresses together. */
  linkRequests: 240_000,
  /** Requests a minute of mail providers (`/hooks/…`), of one address, per process. */
  hookRequestsPerAddress: 60_000,
  /** The same of all addresses together. */
  hookRequests: 240_000,
  /** Requests a minute for pages and files without a key (`/media/…`, `/docs`, …), of one address, per process. */
  fileRequestsPerAddress: 12_000,
  /** The same of all addresses together. */
  fileRequests: 120_000,
  /** Events of an erased user that one transaction deletes. Further ones are deleted in pages of this size. */
  eventsErasedAtOnce: 5_000,
  /** Event names of a project that are counted apart. */
  projectEventNames: 2_000,
  /** Property keys of an event name that are counted apart. */
  eventPropertyKeys: 200,
  /** Trait keys of a project that are counted apart. */
  projectTraitKeys: 1_000,
  /** Acknowledgements that are kept of a delivery. */
  deliveryReceipts: 200,
  /** Bytes of runs and transcripts that the keys of a project write in a UTC day. */
  runBytesPerDay: 268_435_456,
  /** Bytes of a project's images. */
  projectMediaBytes: 1_073_741_824,
  /** Bytes of files that a project uploads and has not brought in yet. */
  importBytes: 2_147_483_648,
  /** Customers of the month that the demo is filled with. */
  demoCustomers: 2_000,
} as const satisfies Readonly<Record<string, number>>;

export type LimitName = keyof typeof defaultLimits;

/** Every ceiling of this server: whole numbers, at least 1. */
export type Limits = Readonly<Record<LimitName, number>>;
