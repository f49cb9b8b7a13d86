import { generateKeyPairSync } from "node:crypto";
import { apiId } from "../../domain/ids.ts";
import { lockUntilCommit } from "../../platform/db/transactions/lock.ts";
import { asHouse, type Ctx } from "../../platform/http/contract/endpoint.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { makeCampaign } from "../campaigns/authoring/public.ts";
import { CreateCampaignBody } from "../campaigns/authoring/schema.ts";
import { keepCredential } from "../push/credentials/public.ts";
import { planNow } from "../push/sending/public.ts";
import { BACK_IN_STOCK } from "./names.pure.ts";
import { openShop } from "./open-shop.ts";
import { type DemoShop, findPhoneCampaign, findShopGoal } from "./store.ts";

/** The id of the demo's app, as a push provider would know it. */
const APP_ID = "com.example.daybreak";

/** A credential that no provider knows. The campaign needs one to be ready, although no push of the demo leaves this server. */
function ownCredential() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    provider: "apns" as const,
    teamId: "DAYBREAK00",
    keyId: "DAYBREAK01",
    topic: APP_ID,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A push campaign for every user of the app. A purchase after a tap is its conversion. */
async function stockPhone(ctx: Ctx): Promise<void> {
  await keepCredential(ctx, {
    appId: APP_ID,
    platform: "ios",
    environment: "development",
    expectedRevision: 0,
    credential: ownCredential(),
  });
  const goalId = await findShopGoal(ctx.db, ctx.projectId);
  const backInStock = CreateCampaignBody.parse({
    name: BACK_IN_STOCK,
    channel: "push",
    ...(goalId !== null && { goalId: apiId("goal", goalId) }),
    push: { appId: APP_ID, selection: { kind: "all" } },
    message: {
      title: "Morning Blend is back",
      body: "Roasted this morning. The first bags are for those who waited.",
      destination: { kind: "app", url: "daybreak://morning-blend" },
      actions: [
        { id: "show", title: "Show me" },
        { id: "later", title: "Not now" },
      ],
    },
    launch: true,
  });
  await makeCampaign(ctx, backInStock);
}

/** The shop with its push campaign, which is created when the first phone is opened. */
export async function openPhone(app: App): Promise<DemoShop & { campaignId: string }> {
  const { kysely } = app.database;
  const shop = await openShop(app);
  const campaignId =
    (await findPhoneCampaign(kysely, shop.projectId)) ??
    (await kysely.transaction().execute(async (tx) => {
      await lockUntilCommit(tx, "demoShop");
      const opened = await findPhoneCampaign(tx, shop.projectId);
      if (opened !== null) return opened;
      const now = app.clock();
      const { projectId } = shop;
      await stockPhone({ app, db: tx, now, projectId, ...asHouse("secret") });
      return findPhoneCampaign(tx, shop.projectId);
    }));
  if (campaignId === null) throw new Error("The campaign that was just made is not there.");
  return { ...shop, campaignId };
}

const BETWEEN_LOOKS_MS = 1_000;
const lastLook = resource(() => ({ at: 0, running: false }));

/** Plans the push campaign at once, so that a phone that was just registered does not wait for the next sweep. */
export async function lookForPhones(app: App): Promise<void> {
  const last = app.get(lastLook);
  const now = performance.now();
  if (last.running || now - last.at < BETWEEN_LOOKS_MS) return;
  last.running = true;
  try {
    const phone = await openPhone(app);
    await planNow(app, phone);
  } finally {
    Object.assign(last, { at: performance.now(), running: false });
  }
}
