import { readFile } from "node:fs/promises";
import { apiId } from "../../domain/ids.ts";
import { lockUntilCommit } from "../../platform/db/transactions/lock.ts";
import { asHouse, type Ctx } from "../../platform/http/contract/endpoint.ts";
import type { App } from "../../platform/runtime.ts";
import { newUuid } from "../../platform/uuid.ts";
import { createProject } from "../access/public.ts";
import { makeCampaign } from "../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../campaigns/authoring/schema.ts";
import { insertGoal } from "../campaigns/goals/public.ts";
import { keepImage } from "../campaigns/media/public.ts";
import { changeSettings, houseSettings } from "../settings/public.ts";
import { FIRST_ORDERS, PURCHASE, WELCOME } from "./names.pure.ts";
import { type DemoShop, findShopAcrossProjects, insertShop } from "./store.ts";

const WELCOME_TEXT = `Hello {{ user.name | default: "there" }},

good that you are here. **On Tuesdays we roast**, on Thursdays it is at your door, and when a new harvest is in, you hear of it first.

- Morning Blend: hazelnut and honey
- Night Shift: dark cocoa and cherry
- Slow Sunday: peach and black tea, without caffeine

See you at breakfast.`;

const imageFile = new URL("./shop/offer.jpg", import.meta.url);

/** Whether the shop's mail goes to the mail catcher, where the visitor can read it. */
export const writesMail = ({ config }: App): boolean => config.isPrivate && config.smtpUrl === null;

/** A goal and two campaigns on its pages, as a shop would have them. */
async function stock(ctx: Ctx): Promise<void> {
  const goalId = newUuid(ctx.now);
  await insertGoal(ctx.db, ctx.projectId, {
    id: goalId,
    name: FIRST_ORDERS,
    description: "Visitors who buy for the first time.",
    targetEvent: PURCHASE,
    guardrails: null,
    approvalMode: "require_human",
    attributionDays: 7,
    holdoutPercent: 0,
    createdAt: ctx.now,
  });
  const bytes = await readFile(imageFile);
  const image = await keepImage(ctx, bytes);
  const offer = CreateCampaignBody.parse({
    name: "Free delivery for first orders",
    goalId: apiId("goal", goalId),
    targeting: { events: { not_seen: [PURCHASE] } },
    pages: ["/demo"],
    message: {
      presentation: "toast",
      title: "Your first order travels free",
      body: "Until Sunday we deliver every first bag of coffee at our expense.",
      cta: { label: "Show me the coffee", url: "/demo/morning-blend" },
      media: { url: image.url, decorative: true },
    },
    launch: true,
  });
  const thanks = CreateCampaignBody.parse({
    name: "Thanks after an order",
    targeting: { events: { seen: [PURCHASE] } },
    pages: ["/demo/thanks"],
    message: {
      presentation: "modal",
      title: "Thank you for your order!",
      body: "Your coffee is roasted tomorrow morning and with you the day after. May we write when the next harvest is in?",
      cta: { label: "Yes, please" },
      media: { url: image.url, alt: "A cup of coffee" },
    },
    launch: true,
  });
  await makeCampaign(ctx, offer);
  await makeCampaign(ctx, thanks);
}

/** Sets the sender of the shop's mail, and launches the campaign that welcomes visitors who leave an address. */
async function correspond(ctx: Ctx): Promise<void> {
  const { app, db, projectId, now } = ctx;
  const sender = {
    "email.from": "Daybreak Coffee <hello@daybreak.example>",
    "email.postalAddress": "Daybreak Coffee, 7 Harbour Lane, Springfield",
  };
  await changeSettings(db, app.secrets, projectId, sender, {
    groups: app.ask(houseSettings)(),
    by: "demo",
    now,
  });
  const welcome = CreateCampaignBody.parse({
    name: WELCOME,
    channel: "email",
    message: {
      subject: "Welcome, {{ user.name | default: 'early riser' }}",
      previewText: "What we roast this week, and nothing else.",
      body: WELCOME_TEXT,
      cta: { label: "Meet Slow Sunday", url: `${app.publicUrl()}/demo/slow-sunday` },
    },
    launch: true,
  });
  await makeCampaign(ctx, welcome);
}

/** The demo shop with its goal and campaigns. The first visit creates it; a lock makes simultaneous visits create one. */
export async function openShop(app: App): Promise<DemoShop> {
  const open = await findShopAcrossProjects(app.database.kysely);
  if (open !== null) return open;
  return app.database.kysely.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, "demoShop");
    const opened = await findShopAcrossProjects(tx);
    if (opened !== null) return opened;
    const now = app.clock();
    const { projectId, publishableKey } = await createProject(tx, "Demo shop", now);
    const ctx = { app, db: tx, now, projectId, ...asHouse("secret") };
    await stock(ctx);
    if (writesMail(app)) await correspond(ctx);
    await insertShop(tx, projectId);
    return { projectId, publishableKey };
  });
}
