import { phrases, readServerWords, type Words } from "./words.pure.ts";

/**
 * What a refusal says. `gone`: the address does not exist, or takes no mail any more. `refused`: this mail was refused, for its sender, its
 * content or a rule of the recipient's server. `later`: it was not taken at this time, and another one may be.
 */
export type RefusalKind = "gone" | "refused" | "later";

/**
 * A refusal, as far as it is known. `code`: the reply code of SMTP; `status`: an enhanced status code (RFC 3463) in a field of its own;
 * `text`: what a server wrote, which may be anything.
 */
export type MailRefusal = {
  code?: number | null | undefined;
  status?: string | null | undefined;
  text?: string | null | undefined;
};

/** About an address that our provider has given up. The reasons that follow are those of all such addresses. */
const OF_GIVEN_UP = phrases(`
  marked as inactive, found inactive addresses, on the suppression list, on your suppression list,
  has suppressed sending to this address
`);

/** About who sent the mail. Whatever else is said then, it is not about the recipient: "Sender address rejected: User unknown". */
const OF_SENDER = phrases(`
  sender address, sender rejected, sender verify, sender verification, sender domain, sender unknown, sender denied, sender not,
  sender is, sender user, sender ip, unverified sender, unknown sender, invalid sender, envelope sender, from address,
  from header, return path, reverse path, mail from, mailfrom, sending domain, domain of sender, senders domain, your domain,
  your account, your mailbox, your address, your email, your hostname, senders, helo command, ehlo command, helo name, envelope from,
  email address is not verified, originator
`);

/** About a stage before a recipient is named, as returned mails tell it. It may be refused in words of an unknown user all the same. */
const BEFORE_RECIPIENT = phrases(`
  sender was rejected, my name was rejected, greeting failed, after initial connection, refused to talk to me, after ehlo,
  after helo, reply to ehlo, reply to helo, reply to initial
`);

/** About the mail, or about trust in its sender. Servers say this of addresses that exist. */
const OF_MAIL = phrases(`
  spam, spamming, unsolicited, junk, ube, bulk, suspicious, abuse, reputation, complaints, blocked, blocking, block list,
  blocklist, blocklisted, black list, blacklist, blacklisted, banned, dnsbl, rbl, spamhaus, ip address, client ip, your ip,
  client host, your host, your server, reverse dns, rdns, ptr, dmarc, dkim, spf, authentication, authenticated, unauthenticated,
  policy, policies, prohibition, prohibited, preferences, permitted, not allowed, forbidden, denied, unauthorized,
  not authorized, restricted, restriction, restrictions, filter, filtered, trusted, relaying, relay mail, to relay, not relay,
  content, virus, malware, phishing, attachment, too large, too big, too long, message size, size limit, maximum size,
  exceeds size, loop, looping, hop, hops, protocol violation
`);

/** About the moment. The address is there. */
const OF_TIMING = phrases(`
  is full, mailbox full, quota, overquota, out of storage, insufficient storage, disk full, disk space, insufficient disk,
  insufficient system, not enough space, too many, try again, try later, retry, temporary, temporarily, greylist, greylisted,
  greylisting, graylisted, too quickly, at a rate, rate limit, rate limited, throttled, throttling, frequency limited, expired,
  timed out, timeout, connection refused, not responding, locked
`);

/** That there is no such address, in words that no server uses to refuse a mail. */
const OF_NO_ADDRESS = phrases(`
  user unknown, unknown user, unknown users, no such user, user not found, user not known, not a known user, no such local user,
  user is unknown, user invalid, invalid user, unknown recipient, recipient unknown, recipient is unknown, no such recipient,
  recipient not found, recipient no longer, invalid recipient, no such mailbox, mailbox not found, mailbox unknown,
  unknown mailbox, invalid mailbox, no mailbox here, no mailbox by, not a valid mailbox, not a valid user, not a valid recipient,
  no such account, unknown account, account not found, account unknown, no such address, address unknown, address not found,
  no such email address, no such person, no such local part, unknown local part, unknown localpart, unrouteable address,
  unroutable address, not our customer, not our user, disabled or discontinued, mailbox is disabled, doesnt have a … account,
  doesnt have an … account, does not have a … account, does not have an … account, not listed in … directory,
  not listed in … address book,
  user … does not exist, account … does not exist, mailbox … does not exist, address … does not exist, recipient … does not exist,
  user … doesnt exist, account … doesnt exist, mailbox … doesnt exist, address … doesnt exist, recipient … doesnt exist,
  user not exist, account not exist, mailbox not exist, address … could not be found, address … couldnt be found,
  unknown or illegal alias, no user by, nonexistent user, nonexistent mailbox, non existent user, non existent mailbox,
  user … no longer exists, account … no longer exists, mailbox … no longer exists, address … no longer exists,
  address … no longer valid, user … could not be found, recipient … could not be found, recipient … couldnt be found, mailbox … could not be found
`);

/** That there is no such domain. */
const OF_NO_DOMAIN = phrases(`
  host or domain name not found, domain not found, domain name not found, no such domain, no such host, host unknown,
  unknown host, host not found, invalid domain, unknown domain, unrouteable mail domain, bad destination host,
  no data record of requested type, domain … does not exist, domain … doesnt exist, couldnt find a mail exchanger,
  couldnt find any host
`);

/** That a mail server does not let us send through it, or not in this name. */
const OF_ACCESS = phrases(`
  relay access denied, relay denied, relaying denied, relaying not allowed, relay not permitted, relaying prohibited, unable to relay,
  authentication required, authentication is required, must authenticate, must issue a starttls, sender address rejected,
  not owned by user, send as this sender, email address is not verified, sender is not verified, sender not verified
`);

/** Reply codes of servers that want a login, another one, or TLS first (RFC 4954, 6). */
const ACCESS_CODES: readonly (number | null | undefined)[] = [530, 534, 535, 538];

const OF_CLOSED = phrases(`
  disabled, inactive, deactivated, discontinued, closed, unknown
`);

/** Codes of an address that will never take mail (RFC 3463, 3.2 and 3.3; 5.1.351 is Microsoft's). */
const GONE_CODES = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.1.351"];
/** The mailbox is closed, or takes too much mail at the moment: words decide. */
const CLOSED_CODE = "5.2.1";
/** There is no way to the host, because there is no such domain or because something on the way fails: words decide. */
const NO_WAY_CODE = "5.4.4";
/** Codes that say nothing but that the mail was refused. */
const GENERAL_CODE = /^[45]\.(\d\.0|5\.\d{1,3})$/;
const LATER_CODES = ["5.2.2", "5.4.7"];

/** The code that says most: the first one in the text that says something, else the status, which many servers fill in with 5.0.0. */
function tellingCode({ codes }: Words, status: string | null | undefined): string | null {
  const [own] = readServerWords(status ?? "").codes;
  const all = own === undefined ? codes : [...codes, own];
  return all.find((code) => !GENERAL_CODE.test(code)) ?? null;
}

/** Whether it is said to be temporary: by the reply code, else by the enhanced codes. */
function isTemporary(
  words: Words,
  code: number | null | undefined,
  status: string | null | undefined,
): boolean {
  const reply = words.reply ?? code ?? null;
  if (reply !== null) return reply < 500;
  return (words.codes[0] ?? status ?? "").startsWith("4");
}

function ofGoneCode(words: Words): RefusalKind {
  if (words.say(OF_NO_ADDRESS) || words.say(OF_NO_DOMAIN)) return "gone";
  if (words.say(OF_TIMING)) return "later";
  return words.say(OF_MAIL) ? "refused" : "gone";
}

function ofWords(words: Words, leaning: RefusalKind): RefusalKind {
  if (words.say(OF_MAIL)) return "refused";
  if (words.say(OF_TIMING)) return "later";
  return words.say(OF_NO_ADDRESS) || words.say(OF_NO_DOMAIN) ? "gone" : leaning;
}

/**
 * What a refusal says, from all that report one: a mail server at any stage, a returned mail, or a provider. An address that is called gone gets
 * no more mail, so what is not certain is not `gone`.
 * @param leaning what it is taken for where neither codes nor words say anything: what a provider that knows more calls it
 */
export function classifyRefusal(
  { code, status, text }: MailRefusal,
  leaning: RefusalKind = "refused",
): RefusalKind {
  const words = readServerWords(text ?? "");
  if (words.say(OF_GIVEN_UP)) return "gone";
  if (words.say(OF_SENDER) || words.say(BEFORE_RECIPIENT)) return "refused";
  if (isTemporary(words, code, status)) return "later";
  const telling = tellingCode(words, status);
  if (telling === null) return ofWords(words, leaning);
  if (GONE_CODES.includes(telling)) return ofGoneCode(words);
  if (telling.startsWith("4") || LATER_CODES.includes(telling)) return "later";
  if (words.say(OF_TIMING) && !words.say(OF_MAIL)) return "later";
  const isGone =
    (telling === CLOSED_CODE && (words.say(OF_CLOSED) || words.say(OF_NO_ADDRESS))) ||
    (telling === NO_WAY_CODE && (words.isEmpty || words.say(OF_NO_DOMAIN)));
  return isGone ? "gone" : "refused";
}

/**
 * Whether a mail server refuses its client, as it would with every mail and for any recipient. Many servers say so only
 * when a recipient is named, or after the message.
 */
export const refusesAccess = ({ code, text }: Pick<MailRefusal, "code" | "text">): boolean =>
  ACCESS_CODES.includes(code) || readServerWords(text ?? "").say(OF_ACCESS);
