import type { Feature } from "../../platform/feature.ts";
import { getUser } from "./get-user.ts";
import { getUserSummary } from "./get-user-summary.ts";
import { identify } from "./identify.ts";
import { listUsers } from "./list-users.ts";

export const users: Feature = { endpoints: [identify, listUsers, getUserSummary, getUser] };
