import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../platform/http/contract/fields.ts";
import { listBelievedSecrets } from "../access/public.ts";
import { ListedSetting, ownerOf } from "./contract.ts";
import { houseSettings } from "./house-settings.ts";
import { listOwnSettings } from "./read.ts";

const IdentitySecret = z.object({
  createdAt: epochMs.describe("When the present one was made, in epoch milliseconds."),
  formerUntil: epochMs
    .nullable()
    .describe("Until when a former one is believed, in epoch milliseconds; null where none is."),
});

export const listPeopleSettings = endpoint(
  {
    id: "listPeopleSettings",
    method: "GET",
    path: "/api/people/settings",
    tag: "Settings",
    summary: "List settings with their meaning, value, default and last change",
    description: "Those of a project, or with the header X-Tidings-Project: - those of the organization.",
    keys: [],
    people: "owner",
    scope: "either",
    oneInstant: true,
    result: z.object({
      settings: z.array(ListedSetting).max(1_000).describe("In the order of `tidings settings get`."),
      newest: z.int().min(0).describe("Id of the newest change: the `seen` of the next one."),
      identitySecret: IdentitySecret.nullable().describe(
        "The secret that user hashes are made with; null where there is none yet.",
      ),
    }),
  },
  async (ctx) => {
    const owner = ownerOf(ctx);
    const listed = await listOwnSettings(ctx.db, ctx.app.ask(houseSettings)(), owner);
    const secrets = "projectId" in owner ? await listBelievedSecrets(ctx.db, owner.projectId, ctx.now) : [];
    const [present] = secrets.filter(({ expiresAt }) => expiresAt === null);
    const [former] = secrets.flatMap(({ expiresAt }) => expiresAt ?? []);
    const { settings, newest } = listed;
    return {
      settings: settings.map((setting) => ({ ...setting, control: copied(setting.control) })),
      newest,
      identitySecret:
        present === undefined ? null : { createdAt: present.createdAt, formerUntil: former ?? null },
    };
  },
);

/** A control with a list of choices of its own. */
const copied = (control: Awaited<ReturnType<typeof listOwnSettings>>["settings"][number]["control"]) =>
  control.kind === "choice" ? { ...control, choices: [...control.choices] } : control;
