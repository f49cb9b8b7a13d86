import type { Feature } from "../../../domain/feature.ts";
import { countMisplacedUsersAcrossProjects } from "./check-store.ts";
import { findUsers } from "./find/find-users.ts";
import { listUserNames } from "./find/list-user-names.ts";
import { listUsers } from "./find/list-users.ts";
import { getUser } from "./get-user.ts";
import { getUserSummary } from "./get-user-summary.ts";
import { identify } from "./identify.ts";
import { identifyBatch } from "./identify-batch.ts";
import { profileSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

export const profiles: Feature = {
  room: "users/profiles",
  tables,
  endpoints: [identify, identifyBatch, listUsers, findUsers, listUserNames, getUserSummary, getUser],
  settings: [profileSettingGroup],
  checks: [
    {
      name: "users: each has the key of their id",
      invariant: 1,
      compares: "facts",
      countDifferences: countMisplacedUsersAcrossProjects,
    },
  ],
  tags: { Users: "Who your users are. Reading and erasing them." },
};
