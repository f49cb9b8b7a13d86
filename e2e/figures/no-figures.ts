/** What has digits and is no figure, by what it is: none of it counts anything. */
const NO_FIGURES: Readonly<Record<string, RegExp>> = {
  "an instant": /\b[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d(:\d\d)? [AP]M\b/g,
  "a time of day": /\b\d{1,2}:\d\d:\d\d [AP]M\b/g,
  "days of a year": /\b[A-Z][a-z]{2} \d{1,2}( – [A-Z][a-z]{2} \d{1,2})?, \d{4}\b/g,
  "a day": /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}\b/g,
  "a local time in a field": /\b\d{4}-\d\d-\d\d(T\d\d:\d\d)?\b/g,
  "an address of mail": /[\w.-]+@[\w.-]+\.example\b|[\w.-]+@example\.com\b/g,
  "an id of a customer or their phone": /\b(cust-\d{5}-\w+|phone-\d+)\b/g,
  "an id or a hash": /\b(\w+_)?[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{64}\b/g,
  "a key": /\bpk_\w*…[\w-]{4}|\bpk_[\w-]+/g,
  "the name of a person of the test": /\bPerson \d+\b/g,
  "a policy": /\b(statistical|model)@1\b/g,
  "a deployment": /\bci-\d+\b/g,
  "the end of the id of a push": /^[0-9a-f]{8}$/g,
  "the end of the id of a process": /^[0-9a-f]{12}$/g,
  "an address of this server": /http:\/\/localhost:\d+((\/api)?\/v1\/\w+)?/g,
  "a temporary folder": /\/[\w/]*tidings-\w+-[\w/-]+/g,
};

/** A text without what has digits and is no figure. */
export function withoutNoFigures(text: string): string {
  return Object.entries(NO_FIGURES).reduce((left, [name, each]) => left.replace(each, `‹${name}›`), text);
}

/** Sentences of pages with numbers that never change: what a form takes, what a word means. */
export const CONSTANT_TEXTS: ReadonlySet<string> = new Set([
  "The journey was launched, so its paths stay, with their names. Weight 0 stops one. Other steps or texts of a path make it another one, which is counted anew.",
  "10 characters or more. Changing it signs you out everywhere else, and removes your passkeys unless you keep them.",
  "The hash stands for this text and no other: SHA-256 of it, which you can compute yourself. A decision names the hash.",
  "Users have got it, so it stays, and so do its figures. Give it the weight 0, and no further user gets it.",
  "How many days after a message a conversion counts: 1 to 90.",
  "How many of 100 users get no message of this goal: 0 to 50.",
  "How many of the verdicts of agents may be wrong. 0.1 to 50; without it nothing bounds them.",
  "A difference that is surely smaller is called similar. Without it: 5.",
  "Most of those who convert would have done so anyway. Hold out 5 to 10 % of the users for a while to see the difference.",
  "Times are those of UTC. A key stops everywhere within 5 seconds of its end.",
  "Invented customers, what they did in 30 days, and campaigns in the page, by mail and by push with what came of them. Nothing leaves this server.",
  "1. Who writes",
  "2. The mail server",
  "3. The domain",
  "4. Try it",
  "1. The file",
  "2. What is in it",
  "3. Who gets no mail",
  "4. Try it and bring it in",
  "A table with the number of each line and the reason. It is kept for 30 days.",
  "What was sent, or waits to be. Each is kept for 30 days.",
  "Mail of a project without a mail server is caught here, for you to look at. None of it was sent. The newest 1,000 are kept.",
]);
