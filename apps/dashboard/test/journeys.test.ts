import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TidingsError } from "@tidings/client";
import {
  basedOn,
  canMove,
  draftFromJourney,
  type IfDraft,
  idsOf,
  isMessageBegun,
  JOURNEY_END,
  type JourneyDraft,
  journeyBody,
  journeyPatch,
  mayAdd,
  movedStep,
  newJourneyDraft,
  newStep,
  type SendDraft,
  type SplitDraft,
  type StepDraft,
  slugOf,
  type WaitDraft,
  withNewArm,
  withNewStep,
  withoutArm,
  withoutIds,
  withWays,
} from "../src/features/journeys/draft.ts";
import {
  actionsOf,
  asVariants,
  entryInWords,
  faultInWords,
  faultOfExit,
  faultOfMessage,
  faultOfStep,
  figuresOf,
  idsIn,
  isFaultOfMessage,
  type Journey,
  type JourneyStatistics,
  leftOf,
  peopleInside,
  refusingStep,
  type Step,
  withoutStep,
} from "../src/features/journeys/rules.ts";
import { comesFrom, depthsOf, ruleInWords, stepTitle } from "../src/ui/journey-steps/titles.ts";
import { EMPTY_MESSAGES } from "../src/ui/message-fields/content.ts";

const send = (id: string): Step => ({
  id,
  kind: "send",
  channel: "email",
  name: "Message",
  campaignId: `cmp_${id}`,
  campaignStatus: "running",
});
const wait = (id: string): Step => ({ id, kind: "wait", for: { amount: 3, unit: "days" } });
const asks = (id: string, other: string): Step => ({
  id,
  kind: "if",
  audience: { kind: "all" },
  else: other,
});

const journey = (more: Partial<Journey> = {}): Journey => ({
  id: "jrn_1",
  name: "Trial",
  status: "running",
  version: 4,
  goalId: null,
  entry: { on: "event", event: "trial_started" },
  audience: null,
  again: null,
  exit: { onGoal: true, events: [] },
  steps: [send("welcome"), wait("pause"), send("reminder")],
  createdBy: "human",
  createdAt: 0,
  updatedAt: 0,
  startedAt: 0,
  endedAt: null,
  ...more,
});

const sendDraft = (name: string, steps: readonly StepDraft[] = []): SendDraft => ({
  ...(newStep("send", steps) as SendDraft),
  name,
  texts: { ...EMPTY_MESSAGES, email: { subject: "Hello", body: "Hi" } },
});

describe("ids of steps", () => {
  it("are made of their names, so that the API takes them", () => {
    assert.equal(slugOf("Über die  Testphase!"), "uber-die-testphase");
    assert.equal(slugOf("日本"), "");
    assert.match(slugOf(`${"a".repeat(31)} b`), /^a{31}$/);
  });

  it("are had once, and stay as they are where the server knows them", () => {
    const draft = draftFromJourney(journey());
    const steps: StepDraft[] = [...draft.steps];
    for (const name of ["Welcome", "Welcome", "end", ""]) steps.push(sendDraft(name, steps));
    for (const kind of ["wait", "end"] as const) steps.push(newStep(kind, steps));
    const ids = idsOf({ steps, taken: draft.taken });
    assert.deepEqual(
      steps.map(({ key }) => ids.get(key)),
      ["welcome", "pause", "reminder", "welcome-2", "welcome-3", "end-2", "message", "wait", "stop"],
    );
  });

  it("are none that a step had which was taken away: that one had a campaign", () => {
    const draft = draftFromJourney(journey());
    const steps = [...draft.steps.slice(1), sendDraft("Welcome", draft.steps)];
    assert.equal([...idsOf({ steps, taken: draft.taken }).values()].at(-1), "welcome-2");
  });
});

describe("a journey that is written", () => {
  it("is sent as the API takes it", () => {
    const message = sendDraft("Welcome");
    const question: IfDraft = { ...(newStep("if", [message]) as IfDraft), audience: { kind: "all" } };
    const draft: JourneyDraft = {
      ...newJourneyDraft(),
      name: "Trial",
      enteredBy: { event: "trial_started" },
      isAgain: true,
      steps: [question, message],
    };
    const body = journeyBody({ ...draft, steps: [{ ...question, other: message.key }, message] });
    assert.deepEqual(body, {
      name: "Trial",
      goalId: null,
      entry: { on: "event", event: "trial_started" },
      audience: null,
      again: { afterDays: 30 },
      exit: { onGoal: true, events: [] },
      steps: [
        { id: "if", kind: "if", audience: { kind: "all" }, else: "welcome" },
        {
          id: "welcome",
          kind: "send",
          channel: "email",
          name: "Welcome",
          message: { subject: "Hello", body: "Hi" },
        },
      ],
    });
  });

  it("has messages of all channels, each with what its channel takes alone", () => {
    const message = sendDraft("Tour");
    const texts = { ...message.texts, web_inapp: { presentation: "modal", title: "Look", body: "" } };
    const stepsOf = (more: Partial<SendDraft>) =>
      journeyBody({ ...newJourneyDraft(), name: "Trial", steps: [{ ...message, texts, ...more }] })?.steps;
    const named = { id: "tour", kind: "send", name: "Tour" };
    const shown = { ...named, channel: "web_inapp", message: texts.web_inapp };
    assert.deepEqual(stepsOf({ channel: "web_inapp" }), [shown]);
    assert.deepEqual(stepsOf({ channel: "web_inapp", pages: "/plans\n\n /team* " }), [
      { ...shown, pages: ["/plans", "/team*"] },
    ]);
    assert.deepEqual(stepsOf({ pages: "/plans" }), [{ ...named, channel: "email", message: texts.email }]);
    assert.equal(isMessageBegun(message), true);
    assert.equal(isMessageBegun(newStep("send", []) as SendDraft), false);
  });

  it("cannot be made without a name, or without a step", () => {
    assert.equal(journeyBody(newJourneyDraft()), null);
    assert.equal(journeyBody({ ...newJourneyDraft(), name: "Trial", steps: [] }), null);
  });

  it("asks for what differs alone, of the version that it was opened in", () => {
    const known = journey({
      goalId: "goal_1",
      steps: [send("welcome"), asks("plan", "pause"), wait("pause")],
    });
    const draft = draftFromJourney(known);
    assert.equal(journeyPatch(draft, known), null);
    assert.deepEqual(journeyPatch({ ...draft, name: "Trial 2" }, known), {
      name: "Trial 2",
      expectedVersion: 4,
    });
    assert.deepEqual(journeyPatch({ ...draft, steps: draft.steps.slice(0, 1) }, { ...known, version: 5 }), {
      steps: [{ id: "welcome", kind: "send", channel: "email" }],
      expectedVersion: 4,
    });
  });
});

type Wait = Omit<Extract<Step, { kind: "wait" }>, "id" | "kind">;
/** A wait as the API shows it. */
const waits = (id: string, how: Wait): Step => ({
  id,
  kind: "wait",
  ...how,
});
const PAID: Wait["orEvent"] = {
  event: "invoice_paid",
  where: [{ kind: "field", field: { kind: "event_property", key: "plan" }, op: "eq", value: "pro" }],
};

describe("waits", () => {
  const known = journey({
    steps: [
      waits("hour", { until: { at: "09:00", zone: "user", weekdays: ["mon", "tue"] } }),
      waits("ends", { date: { trait: "trialEndsAt", days: -3, at: "09:00", zone: "user" }, orEvent: PAID }),
      waits("day", { date: { trait: "renewsAt", days: 0, at: "17:30", zone: "Europe/Berlin" } }),
      wait("pause"),
    ],
  });

  it("are in words, each way with its event", () => {
    assert.deepEqual(known.steps.map(stepTitle), [
      "Wait until 09:00 of each reader, on Mon, Tue",
      "Wait until 3 days before trialEndsAt, at 09:00 of each reader, or until they do invoice_paid",
      "Wait until renewsAt, at 17:30 in Europe/Berlin",
      "Wait 3 days",
    ]);
  });

  it("stay as they are where nothing is written, with the conditions on their event", () => {
    const draft = draftFromJourney(known);
    assert.equal(journeyPatch(draft, known), null);
    assert.deepEqual(
      journeyBody(draft)?.steps,
      known.steps.map((step) => ({ ...step })),
    );
  });

  it("are sent by the way that is chosen alone", () => {
    const [first] = draftFromJourney(known).steps;
    assert.ok(first?.kind === "wait");
    const stepsOf = (changed: Partial<WaitDraft>) =>
      journeyBody({ ...newJourneyDraft(), name: "Trial", steps: [{ ...first, ...changed }] })?.steps;
    assert.deepEqual(stepsOf({ way: "for" }), [
      { id: "hour", kind: "wait", for: { amount: 3, unit: "days" } },
    ]);
    const date = {
      trait: "endsAt",
      days: "2",
      side: "after",
      yearly: true,
      at: "08:00",
      zone: "UTC",
    } as const;
    assert.deepEqual(stepsOf({ way: "date", date, orEvent: { event: "paid", where: [] } }), [
      {
        id: "hour",
        kind: "wait",
        date: { trait: "endsAt", days: 2, yearly: true, at: "08:00", zone: "UTC" },
        orEvent: { event: "paid" },
      },
    ]);
  });
});

describe("users at steps that are taken away", () => {
  const known = journey();
  const draft = draftFromJourney(known);
  const added = sendDraft("Reminder two", draft.steps);
  const steps = [...draft.steps.filter(({ id }) => id !== "pause"), added];

  it("go on where it was chosen: at a step by its id, or at the end", () => {
    const movesOf = (moves: JourneyDraft["moves"]) => journeyPatch({ ...draft, steps, moves }, known)?.moves;
    assert.deepEqual(movesOf({ pause: added.key }), { pause: "reminder-two" });
    assert.deepEqual(movesOf({ pause: JOURNEY_END }), { pause: JOURNEY_END });
    assert.equal(movesOf({}), undefined);
    assert.equal(movesOf({ pause: "a step that is gone since" }), undefined);
    assert.equal(movesOf({ welcome: JOURNEY_END }), undefined, "this step is still there");
  });

  it("keep the ids of these from new steps", () => {
    const apart = withoutIds({ ...draft, steps }, ["reminder-two"]);
    assert.equal(idsOf(apart).get(added.key), "reminder-two-2");
    assert.equal(withoutIds(draft, ["pause"]), draft);
  });
});

describe("a draft of an older version", () => {
  it("takes no id of the newer one, and makes a step new that is another kind there", () => {
    const draft = draftFromJourney(journey());
    const newer = journey({ version: 5, steps: [wait("welcome"), send("pause"), wait("other")] });
    const named = sendDraft("Other", draft.steps);
    const changed = basedOn({ ...draft, steps: [...draft.steps, named] }, newer);
    assert.equal(changed.base, 5);
    assert.deepEqual([...idsOf(changed).values()], ["message", "wait", "message-2", "other-2"]);
    const [first] = changed.steps;
    assert.ok(first?.kind === "send" && first.campaignId === null);
  });

  it("has a push to write anew whose campaign is gone, with the app that it needs", () => {
    const pushed = { ...send("ping"), channel: "push" } as Step;
    const draft = draftFromJourney(journey({ steps: [pushed] }));
    const changed = basedOn(draft, journey({ version: 5, steps: [wait("ping")] }));
    const [step] = changed.steps;
    assert.ok(step?.kind === "send" && step.campaignId === null);
    const push = { ...step.push, appId: "acme" };
    const texts = {
      ...step.texts,
      push: { title: "Hi", body: "", destination: { kind: "website", url: "https://acme.example" } },
    };
    assert.deepEqual(journeyBody({ ...changed, steps: [{ ...step, push, texts }] })?.steps, [
      {
        id: "message",
        kind: "send",
        channel: "push",
        name: "Message",
        message: texts.push,
        push: { appId: "acme", selection: { kind: "last_active" } },
      },
    ]);
  });
});

describe("a split", () => {
  const split: Step = {
    id: "paths",
    kind: "split",
    arms: [
      { name: "At once", weight: 50, isControl: true, to: "welcome" },
      { name: "Later", weight: 50, isControl: false, to: "pause" },
    ],
  };
  const steps = [split, send("welcome"), wait("pause")];
  const first = ({ steps: [step] }: Pick<JourneyDraft, "steps">): SplitDraft => {
    assert.ok(step?.kind === "split");
    return step;
  };

  it("is added once, before the launch, as the first step, and stays there", () => {
    const draft = draftFromJourney(journey({ startedAt: null }));
    assert.equal(mayAdd(draft, "split"), true);
    assert.equal(mayAdd(draftFromJourney(journey()), "split"), false);
    const added = withNewStep(draft.steps, "split");
    assert.deepEqual(
      first({ steps: added }).arms.map(({ to, isControl }) => [to, isControl]),
      [
        ["welcome", true],
        [JOURNEY_END, false],
      ],
    );
    assert.equal(mayAdd({ ...draft, steps: added }, "split"), false);
    assert.deepEqual(
      [canMove(added, 0, 1), canMove(added, 1, -1), canMove(added, 1, 1)],
      [false, false, true],
    );
    assert.equal(movedStep(added, 1, -1), added);
  });

  it("has two to four paths, of which one is the control", () => {
    const two = first(draftFromJourney(journey({ steps })));
    assert.equal(withoutArm(two, 0), null);
    const three = withNewArm(two);
    assert.ok(three !== null);
    assert.deepEqual(
      withoutArm(three, 0)?.arms.map(({ name, isControl }) => [name, isControl]),
      [
        ["Later", true],
        ["", false],
      ],
    );
    const four = withNewArm(three);
    assert.ok(four !== null);
    assert.equal(new Set(four.arms.map(({ key }) => key)).size, 4);
    assert.equal(withNewArm(four), null);
  });

  it("is sent as it is written, where something differs, with ways by the ids of steps", () => {
    const known = journey({ steps });
    const draft = draftFromJourney(known);
    assert.equal(journeyPatch(draft, known), null);
    const changed = {
      ...first(draft),
      arms: first(draft).arms.map((arm) => (arm.name === "Later" ? { ...arm, weight: "80" } : arm)),
    };
    const [body] = journeyPatch({ ...draft, steps: [changed, ...draft.steps.slice(1)] }, known)?.steps ?? [];
    assert.deepEqual(body, { ...split, arms: [split.arms[0], { ...split.arms[1], weight: 80 }] });
    const [left] = withWays([changed, ...draft.steps.slice(1, 2)]);
    assert.ok(left?.kind === "split");
    assert.deepEqual(
      left.arms.map(({ to }) => to),
      ["welcome", JOURNEY_END],
    );
  });

  it("is refused at its path", () => {
    assert.equal(
      faultInWords("steps[0].arms[1].name must not be empty"),
      "Step 1: Path 2: Name must not be empty",
    );
  });

  it("is compared as variants are, by the names of its paths", () => {
    const arm = { name: "Later", exposedUsers: 3, expectedUsers: 2 };
    const statistics = { arms: [{ name: "Later", weight: 50 }], sampleRatio: { arms: [arm] }, plan: null };
    const { variants, sampleRatio } = asVariants(statistics as unknown as JourneyStatistics);
    assert.deepEqual(variants, [{ variantId: "Later", weight: 50 }]);
    assert.deepEqual(sampleRatio.arms, [{ variantId: "Later", exposedUsers: 3, expectedUsers: 2 }]);
  });
});

describe("ways", () => {
  it("lead to later steps, and to the end where there is none", () => {
    const { steps } = draftFromJourney(
      journey({ steps: [asks("plan", "pause"), wait("pause"), send("mail")] }),
    );
    const moved = movedStep(steps, 0, 1);
    assert.deepEqual(
      moved.map((step) => [step.key, step.kind === "if" && step.other]),
      [
        ["pause", false],
        ["plan", JOURNEY_END],
        ["mail", false],
      ],
    );
    assert.equal(movedStep(steps, 0, -1), steps);
    const [first] = withWays(steps.filter(({ key }) => key !== "pause"));
    assert.ok(first?.kind === "if" && first.other === JOURNEY_END);
  });

  it("make steps lie deeper that everyone else passes by", () => {
    const steps = [
      asks("plan", "basic"),
      send("pro"),
      asks("more", "end"),
      wait("pause"),
      send("basic"),
      wait("last"),
    ];
    assert.deepEqual(depthsOf(steps), [0, 1, 1, 2, 1, 1]);
    assert.deepEqual([comesFrom(steps, "basic"), comesFrom(steps, "pro")], [[0], []]);
  });
});

describe("what the server says of a journey", () => {
  it("is found at its step, and at the field", () => {
    assert.equal(faultOfStep("steps[1].for must be at most 365 days", 1), "for must be at most 365 days");
    assert.equal(faultOfStep("steps[1].for must be at most 365 days", 0), null);
    assert.equal(faultOfStep("steps[10]: audience is odd", 1), null);
    assert.equal(faultOfExit("exit.events[0]: event must be a name", 0), "event must be a name");
    const inner = faultOfStep("steps[0].message.subject must have at least 1 character", 0);
    assert.equal(faultOfMessage(inner, "subject"), "must have at least 1 character");
    assert.equal(faultOfMessage(inner, "body"), undefined);
    for (const [fault, channel, isPlaced] of [
      ["title must be at most 120 characters", "web_inapp", true],
      ["message must have a title or a body", "web_inapp", true],
      ["message must have a title or a body", "push", false],
      ["push.appId must have at least 1 character", "push", true],
      ["message.destination.url must be an https address", "push", true],
      ["push is required for a push campaign", "push", false],
      ["title must be at most 120 characters", "email", false],
    ] as const)
      assert.equal(isFaultOfMessage(fault, channel), isPlaced, `${channel}: ${fault}`);
    assert.equal(faultOfStep("steps[0].pages[1] must start with /", 0), "pages must start with /");
    assert.equal(faultInWords("steps[1]: subject must be short"), "Step 2: Subject must be short");
    assert.equal(
      faultInWords("steps[1].until.at must be a time such as 09:00"),
      "Step 2: Time of the day must be a time such as 09:00",
    );
    const days = "steps[1].date.days must be at least -365";
    assert.equal(faultOfStep(days, 1), "date.days must be at most 365");
    assert.equal(faultInWords(days), "Step 2: Days must be at most 365");
    assert.equal(faultInWords("name must be short"), "Name must be short");
  });

  it("names where users are, and the message that refuses", () => {
    const refused = (fields: object) => new TidingsError(409, { error: "No.", ...fields }, new Headers());
    const steps = [{ id: "pause", here: 2 }];
    assert.deepEqual(peopleInside(refused({ reason: "people_inside", steps })), steps);
    assert.equal(peopleInside(refused({ reason: "stale_version" })), null);
    assert.equal(refusingStep(refused({ stepId: "welcome" })), "welcome");
    assert.equal(refusingStep(new Error("No.")), null);
    assert.equal(withoutStep("welcome: No sender.", "welcome"), "No sender.");
  });
});

describe("a journey in words", () => {
  it("says what a step is, and what it counts", () => {
    assert.deepEqual([send("welcome"), wait("pause"), asks("plan", "end")].map(stepTitle), [
      "Email “Message”",
      "Wait 3 days",
      "If",
    ]);
    const results = {
      stepId: "x",
      here: 1,
      sent: 2,
      withheld: 3,
      skipped: 0,
      waited: 5,
      met: 6,
      unmet: 7,
      split: 8,
    };
    const figures = (kind: Step["kind"], more: { happened: number; skipped?: number }) =>
      figuresOf({ kind }, { ...results, ...more }).map(({ name, value }) => `${name} ${value}`);
    const none = { happened: 0 };
    assert.deepEqual(figures("if", none), ["Here 1", "Matched 6", "Went elsewhere 7"]);
    assert.deepEqual(figures("split", none), ["Here 1", "Went on by their path 8"]);
    assert.deepEqual(figures("end", none), []);
    assert.deepEqual(figures("send", none), ["Here 1", "Sent 2", "Held out 3", "Could not get it 0"]);
    assert.deepEqual(
      figuresOf({ kind: "send", channel: "web_inapp" }, { ...results, happened: 0 }).map(({ name }) => name),
      ["Here", "Offered", "Held out", "Could not get it"],
    );
    assert.deepEqual(figures("wait", none), ["Here 1", "Have waited 5"]);
    assert.deepEqual(figures("wait", { happened: 8, skipped: 4 }), [
      "Here 1",
      "Have waited 5",
      "Did the event 8",
      "Had no date 4",
    ]);
    const left = { finished: 2, goal: 0, event: 1, removed: 0, ended: 0 };
    assert.deepEqual(
      leftOf({
        entered: 3,
        moved: 0,
        inside: 0,
        left,
        steps: [],
        arms: [],
        statistics: null,
        noStatistics: "no_split",
      }).map(({ name, users }) => `${users} ${name}`),
      ["2 after the last step", "1 by another event"],
    );
  });

  it("says by which event users enter", () => {
    const where = [
      { kind: "field", field: { kind: "event_property", key: "plan" }, op: "eq", value: "pro" },
      { kind: "field", field: { kind: "event_property", key: "seats" }, op: "gt", value: 3 },
    ];
    assert.equal(
      ruleInWords({ event: "paid", where }),
      "“paid”, where plan is “pro” and seats is more than 3",
    );
    assert.equal(ruleInWords({ event: "paid" }), "“paid”");
  });

  it("keeps the channel of a message", () => {
    const pushed = journey({ steps: [{ ...send("a"), channel: "push" } as Step] });
    assert.equal(journeyPatch(draftFromJourney(pushed), pushed), null);
    const [step] = draftFromJourney(pushed).steps;
    assert.ok(step !== undefined);
    assert.deepEqual(journeyBody({ ...newJourneyDraft(), name: "Trial", steps: [step] })?.steps, [
      { id: "a", kind: "send", channel: "push" },
    ]);
  });

  it("says how else users enter, and keeps that where nothing is written", () => {
    const hour = { on: "schedule" as const, at: "09:00", zone: "UTC" };
    const all = { kind: "all" as const };
    const segment = {
      kind: "segment",
      segment: "pro",
      segmentId: "seg_1",
      audienceVersionId: "aud_1",
      version: 1,
    };
    const pro = journey({
      audience: { ...segment, summary: "trait plan is “pro”" } as unknown as Journey["audience"],
    });
    for (const [entry, sentence] of [
      [{ on: "request" }, "Your code, or a person here, names the users who enter."],
      [{ on: "audience" }, "Users enter as soon as they match: trait plan is “pro”."],
      [hour, "Users enter at 09:00 in UTC, every day."],
      [{ ...hour, weekdays: ["thu", "mon"] }, "Users enter at 09:00 in UTC, on Mon, Thu."],
      [{ ...hour, monthDays: [1, 15] }, "Users enter at 09:00 in UTC, on day 1, 15 of the month."],
    ] as const) {
      const known = { ...pro, entry } as Journey;
      assert.equal(entryInWords(known), sentence);
      assert.equal(journeyPatch(draftFromJourney(known), known), null);
    }
    const none = { ...pro, audience: all, entry: { on: "audience" } } as Journey;
    assert.equal(entryInWords(none), "The audience of who may enter cannot be read, so no user enters.");
  });

  it("can be launched, paused and ended as it stands", () => {
    assert.deepEqual(
      (["draft", "running", "paused", "ended"] as const).map((status) => actionsOf({ status })),
      [["launch", "end"], ["pause", "end"], ["launch", "end"], []],
    );
  });

  it("takes ids by lines and commas, each once", () => {
    assert.deepEqual(idsIn("ada\n bo, cy\r\n\nada"), ["ada", "bo", "cy"]);
  });
});
