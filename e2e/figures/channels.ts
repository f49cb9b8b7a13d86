import type { Answer } from "@tidings/client";
import { campaignIn } from "./campaigns.ts";
import { type Counts, count, countsOf, type Truth, whole } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { exactTime, listOf, number, percent, row } from "./written.ts";

const MAILS_A_PAGE = 25;
const UNKNOWN_A_PAGE = 50;
/** What the page calls the mail catcher. */
const MAIL_CATCHER_TAB = "Outbox";

/** What became of all mail of the project, by own count. */
function mailOf(truth: Truth): Counts {
  const all = truth.campaigns
    .filter(({ channel }) => channel === "email")
    .map((campaign) => countsOf(truth, campaign));
  const sum = (name: keyof Counts): number => all.reduce((whole, counts) => whole + counts[name], 0);
  const names = Object.keys(all[0] ?? {}) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Counts;
}

export async function emailFacts({ truth }: View): Promise<Facts> {
  const { client } = truth;
  const mail = mailOf(truth);
  const { sends: unknown } = await client.listUnknownSends();
  const suppressed = await whole(async (page) => {
    const { addresses, pageCount } = await client.listSuppressedAddresses({ query: { page } });
    return { rows: addresses, pageCount };
  });
  const { postalAddress } = await client.getEmailSender();
  const share = (mails: number): string => percent(mails / mail.sent);
  const outcome = (name: string, mails: number) =>
    row(name, { Mails: number(mails), "Of those sent": share(mails) });
  // Campaigns of the month have sent all of theirs; receipts wait for the instant that their request names.
  const { sends: waiting } = await client.listSends({ query: { state: "waiting", limit: 100 } });
  const waits = ["Leaves next", "Is tried again", "Waits for your server"];
  const nothing = [...waits, "Leaves later", "Waits for its campaign", "Never leaves", "On its way"];
  return {
    "At a glance": [
      `Sent: ${number(mail.sent)}`,
      `Waiting: ${number(waiting.length)}`,
      ...row("Waits for its turn", { Mails: number(waiting.length) }),
      `Unknown: ${number(unknown.length)}`,
      `Bounced: ${number(mail.bounced)}`,
      `Decide about the mail whose fate is unknown (${number(unknown.length)})`,
      ...row("Sent", { Mails: number(mail.sent) }),
      ...outcome("Delivered", mail.delivered),
      ...outcome("Opened", mail.opened),
      ...outcome("Clicked", mail.clicked),
      ...outcome("Bounced", mail.bounced),
      ...outcome("Complained", mail.complained),
      ...outcome("Unsubscribed", mail.unsubscribed),
      // All that was refused in the month bounced, and its stopped address was stopped before any mail to it.
      ...row("Failed", { Mails: "0" }),
      ...row("Left out", { Mails: "0" }),
      ...row("Left out by the cap", { Mails: number(mail.frequencyCapped) }),
      // No campaign of the month has its mail wait for so long.
      ...row("Withdrawn", { Mails: "0" }),
      ...nothing.flatMap((name) => row(name, { Mails: "0" })),
      ...row("Unknown", { Mails: number(unknown.length) }),
    ],
    "Gets no mail": listOf(suppressed.length, MAILS_A_PAGE),
    Sender: [`[Postal address]: ${postalAddress ?? ""}`],
    // What makes an address one of them. In a month no address has had ten mails.
    "Never read": [
      "Addresses that got at least ten mails of campaigns in the last 180 days, of which no person opened or clicked one. Mailbox providers judge you by them: write to them once more, then stop their mail.",
      "Each address with ten mails in 180 days has a reader who opened or clicked one.",
    ],
    Unknown: listOf(unknown.length, UNKNOWN_A_PAGE),
    // All that a mail server took lies there.
    [MAIL_CATCHER_TAB]: listOf(mail.delivered, MAILS_A_PAGE),
  };
}

const PLATFORMS = { ios: "iOS", android: "Android", web: "Web" };

export async function pushFacts({ truth: { client } }: View): Promise<Facts> {
  const devices = await whole(async (page) => {
    const { installations, total } = await client.listInstallations({ query: { page, perPage: 100 } });
    return { rows: installations, pageCount: Math.ceil(total / 100) };
  });
  const { credentials } = await client.listPushCredentials();
  const ways = Map.groupBy(devices, ({ appId, platform, environment }) =>
    [appId, `${PLATFORMS[platform]}, ${environment}`].join(" / "),
  );
  return {
    "Do pushes leave?": [...ways].flatMap(([way, all]) => {
      const lacking = count(all, ({ hasToken }) => !hasToken);
      return row(way, {
        Devices: number(all.length),
        "Can be sent to": number(all.length - lacking),
        "Why not the others": lacking === 0 ? "" : `${lacking} without a push token`,
      });
    }),
    Devices: listOf(devices.length, MAILS_A_PAGE),
    Credentials: credentials.flatMap(({ appId, revision }) => row(appId, { Revision: String(revision) })),
  };
}

type Inspection = Answer<"getCampaignPush">;
const MOST_TRIES = 3;
const RECORDS_A_PAGE = 50;

async function inspectionOf({ client }: Truth, id: string): Promise<Inspection[]> {
  return whole(async (page) => {
    const found = await client.getCampaignPush({ path: { id }, query: { page, perPage: 100 } });
    return { rows: [found], pageCount: Math.max(...Object.values(found.pageCounts)) };
  });
}

/** Each push for a device has at most so many tries, and its story a step for each. */
export async function deviceFacts({ truth, names }: View): Promise<Facts> {
  const id = names.$installationId ?? "";
  const { steps, slots } = await truth.client.getInstallationStory({ path: { id }, query: { perPage: 100 } });
  const attempts = steps.filter(({ kind }) => kind === "attempt");
  return {
    everywhere: [
      ...slots.flatMap(({ slotId, campaignName }) => {
        const tries = count(attempts, (step) => step.slotId === slotId);
        return row(campaignName, { Sent: `${tries} of ${MOST_TRIES}` });
      }),
      ...attempts.flatMap(({ at, number: ordinal }) =>
        row(exactTime(at), { What: `Attempt ${ordinal} was made` }),
      ),
      ...listOf(steps.length, RECORDS_A_PAGE),
    ],
  };
}

export async function pushCampaignFacts(view: View): Promise<Facts> {
  const { truth } = view;
  const campaign = campaignIn(view);
  const found = await inspectionOf(truth, campaign.id);
  const slots = found.flatMap((each) => each.slots);
  const attempts = found.flatMap((each) => each.attempts);
  const outcomes = found.flatMap((each) => each.outcomes);
  const targets = found.flatMap((each) => each.targets);
  const recipients = found.flatMap((each) => each.recipients);
  const observations = found.flatMap((each) => each.observations);
  const conversions = found.flatMap((each) => each.conversions);
  const counts = countsOf(truth, campaign);
  const took = new Set(
    outcomes.filter(({ result }) => result.kind === "accepted").map(({ slotId }) => slotId),
  );
  const usersOf = (chosen: ReadonlySet<string | null>): number =>
    new Set(slots.filter(({ id }) => chosen.has(id)).map(({ userId }) => userId)).size;
  const reported = new Set(
    observations.map(({ slotId }) => slotId).filter((id) => id !== null && took.has(id)),
  );
  return {
    everywhere: [
      `Users with a device: ${number(usersOf(new Set(slots.map(({ id }) => id))))}`,
      `Users it was accepted for: ${number(usersOf(took))}`,
      `Users who opened it: ${number(counts.clicked)}`,
      `Users who converted: ${number(counts.converted)}`,
      `Did it after they opened it: ${number(new Set(conversions.map(({ userId }) => userId)).size)}`,
      `Attempts: ${number(attempts.length)}`,
      `Devices that reported it: ${number(reported.size)}`,
      `Sent, not reported: ${number(took.size - reported.size)}`,
      `Devices that wait: ${number(count(slots, ({ state }) => state.kind === "waiting"))}`,
    ],
    Users: listOf(recipients.length, RECORDS_A_PAGE),
    Devices: [
      ...slots.flatMap(({ id, installationId }) => {
        const tries = count(attempts, ({ slotId }) => slotId === id);
        return row(installationId, { Sent: `${tries} of ${MOST_TRIES}` });
      }),
      ...listOf(slots.length, RECORDS_A_PAGE),
    ],
    Texts: [
      ...targets.flatMap(({ installationId, generation }) =>
        row(installationId, { Version: String(generation) }),
      ),
      ...listOf(targets.length, RECORDS_A_PAGE),
    ],
    Attempts: [
      ...attempts.map(({ ordinal }) => `Attempt: Attempt ${ordinal} was made`),
      ...listOf(attempts.length, RECORDS_A_PAGE),
    ],
    Outcomes: listOf(outcomes.length, RECORDS_A_PAGE),
  };
}
