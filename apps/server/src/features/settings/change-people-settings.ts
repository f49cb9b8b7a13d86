import { z } from "zod";
import { endpoint, KIB, personOf } from "../../platform/http/contract/endpoint.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { changeOrganizationSettings, changeProjectSettings } from "./change.ts";
import { MAX_TYPED, orApiError, ownerOf, SettingChange } from "./contract.ts";
import { houseSettings } from "./house-settings.ts";
import { changesOfPerson } from "./people-changes.ts";

const MAX_CHANGES = 100;

export const changePeopleSettings = endpoint(
  {
    id: "changePeopleSettings",
    method: "PATCH",
    path: "/api/people/settings",
    audit: "changed settings",
    tag: "Settings",
    summary: "Change settings, all or none",
    description:
      "As `tidings settings set` does. A refusal begins with the key of the setting that it is about, and never repeats a value. What is the operator's is 403: settings of the organization where MODE=managed, a host of the server's own network, and `email.domainVerified` by hand where the project has no mail server of its own.",
    keys: [],
    people: "owner",
    scope: "either",
    fresh: true,
    errors: ["conflict"],
    bodyLimit: 64 * KIB,
    body: z.object({
      changes: z
        .record(text(64), text(MAX_TYPED, 0))
        .refine(
          (changes) => Object.keys(changes).length > 0 && Object.keys(changes).length <= MAX_CHANGES,
          `must have 1 to ${MAX_CHANGES} settings`,
        )
        .describe("Values by key, as a person types them; an empty one goes back to the default."),
      seen: z
        .int()
        .min(0)
        .optional()
        .describe(
          "The `newest` of the list that the person saw: a setting that was changed after it is a conflict.",
        ),
    }),
    example: { changes: { "org.spendCapUsd": "" } },
    result: z.object({
      changed: z.array(SettingChange).max(MAX_CHANGES).describe("What is different now."),
    }),
  },
  async (ctx, { body: { changes, seen = null } }) => {
    const { db, now, app } = ctx;
    const owner = ownerOf(ctx);
    const groups = app.ask(houseSettings)();
    const { changes: allowed, namedBy } = await changesOfPerson(ctx, groups, changes);
    const how = { groups, by: personOf(ctx).name, now, seen, namedBy };
    const changed = await orApiError(
      "projectId" in owner
        ? changeProjectSettings(db, app.secrets, owner.projectId, allowed, how)
        : changeOrganizationSettings(db, app.secrets, owner.organizationId, allowed, how),
    );
    // Viewers read the audit log: the values stand in the log of settings, which is for owners.
    ctx.describe({ after: changed.map(({ key }) => key) });
    return { changed };
  },
);
