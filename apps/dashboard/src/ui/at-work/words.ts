export const words = {
  titles: {
    worker: "Nobody is at work: no process has the role worker",
    agent: "Nobody is at work: no process has the role agent",
    program: "Nobody is at work: no program of yours takes up what is due",
  },
  stands: {
    worker:
      "Nothing goes by itself until one has it: no mail and no push leaves, no campaign launches by itself, limits are not watched, repositories are not read, and figures stand still. Messages in pages and apps go on.",
    agent:
      "No campaign is looked at, and no approved change is applied, until one has it. Messages go on as they are.",
    program:
      "No policy is set (agent.policy, under Settings), so programs of your own look after campaigns, and none of them is at work.",
  },
  start: {
    worker: "Who runs this server starts one with that role:",
    agent: "Who runs this server starts one with that role:",
    program: "Start a program of your own again, or this one, with an agent key of the project:",
  },
  command: "Line to start it",

  soon: "It is applied within a minute.",
  byProgram: (time: string | null) =>
    `A program of yours applies it.${time === null ? "" : ` It last took up an evaluation ${time}.`}`,
  paused:
    "Nobody applies it now: agents are paused (safety.loopPaused, under Settings). It is applied once they go on.",
  willNot: {
    agent: "Nobody will apply it: no process has the role agent.",
    program: "Nobody will apply it: no policy is set, and no program of yours is at work.",
  },
} as const;
