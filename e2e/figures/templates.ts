import type { Facts, View } from "./view.ts";
import { listOf, number, row } from "./written.ts";

const TEMPLATES_A_PAGE = 25;

const templatesOf = ({ truth: { client } }: View) =>
  client.listCampaigns({ query: { purpose: "transactional" } });

/** The mails of a template that have left, by their receipts. The list has those of a month, which is all of the test. */
async function receiptsOf({ truth: { client } }: View, key: string | null) {
  const { sends } = await client.listSends({ query: { template: key ?? "", limit: 100 } });
  const count = (is: (send: (typeof sends)[number]) => boolean): string => number(sends.filter(is).length);
  return {
    Sent: count(({ sentAt, bouncedAt }) => sentAt !== null || bouncedAt !== null),
    Delivered: count(({ deliveredAt, bouncedAt }) => deliveredAt !== null && bouncedAt === null),
    Opened: count(({ openedAt }) => openedAt !== null),
    Clicked: count(({ clickedAt }) => clickedAt !== null),
    Bounced: count(({ bouncedAt }) => bouncedAt !== null),
    "Reported as spam": count(({ complainedAt }) => complainedAt !== null),
  };
}

export async function templatesFacts(view: View): Promise<Facts> {
  const { campaigns, total } = await templatesOf(view);
  const rows: string[] = [];
  for (const { name, key } of campaigns) {
    const { Sent, Delivered, Opened, Bounced } = await receiptsOf(view, key);
    rows.push(...row(name, { Sent, Delivered, Opened, Bounced }));
  }
  return { Templates: [...rows, ...listOf(total, TEMPLATES_A_PAGE)] };
}

export async function templateFacts(view: View): Promise<Facts> {
  const { campaigns } = await templatesOf(view);
  const template = campaigns.find(({ id }) => id === view.names.$templateId);
  return { Figures: row("All", await receiptsOf(view, template?.key ?? null)) };
}
