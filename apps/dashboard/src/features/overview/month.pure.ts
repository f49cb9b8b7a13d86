/** Below so many users a project of the demo is as good as empty: a few people have tried its shop. */
const FEW = 100;

/** Whether a month of the shop is offered: in the project of the demo, as long as it has almost no users. */
export const isMonthOffered = (
  { isDemo }: { isDemo: boolean },
  { endUsers }: { endUsers: number },
): boolean => isDemo && endUsers < FEW;

/** Whether the demo with its month is offered: to owners of all projects, on a server that shows it and has not made it yet. */
export const isDemoOffered = ({
  hasDemo,
  role,
  projects,
}: {
  hasDemo: boolean;
  role: string | null;
  projects: readonly { isDemo: boolean }[];
}): boolean => hasDemo && role === "owner" && projects.every(({ isDemo }) => !isDemo);
