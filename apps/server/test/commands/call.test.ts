import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import { Command } from "commander";
import { addOperationCommand } from "../../src/cli/operations/add-operation-command.ts";
import { commandOf, operations } from "../../src/cli/operations/call.ts";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { commandGroups, commands } from "../../src/features.ts";
import { operatingUser } from "../../src/platform/cli/command.ts";
import { addCommandGroups } from "../../src/platform/cli/command-group.ts";
import { toast } from "../factories.ts";
import { PASSWORD } from "../people.ts";
import { keepSecrets } from "../secrets/secrets-of-the-run.ts";
import {
  ask,
  cleanUp,
  done,
  type Ended,
  keysOf,
  migratedDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
} from "./spawned.ts";

after(cleanUp);

it("every operation has a command, whose help names each of its fields once", () => {
  for (const [name, endpoint] of operations()) {
    const help = commandOf(name, endpoint).helpInformation();
    const options = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
    assert.deepEqual(options, [...new Set(options)], name);
    assert.ok(help.replace(/\s+/g, " ").includes(endpoint.spec.summary), name);
  }
});

it("a command of an operation types each field that the operation needs", () => {
  for (const command of commands) {
    if (typeof command === "function") continue;
    const program = new Command();
    addCommandGroups(program, commandGroups);
    addOperationCommand(program, command);
    const [group = "", name = ""] = command.words.split(" ");
    const added = program.commands
      .find((each) => each.name() === group)
      ?.commands.find((each) => each.name() === name);
    const [, endpoint] = [...operations()].find(([, each]) => each === command.operation) ?? [];
    assert.ok(added && endpoint, command.words);
    const known = commandOf("x", endpoint);
    const typed = added.options.filter(({ long }) => !["--project", "--by", "--json"].includes(long ?? ""));
    const sent = Object.keys(command.sends ?? {}).length + (command.hides ?? []).length;
    const asArgument = command.argument !== undefined && command.argument.isOptionToo !== true ? 1 : 0;
    const all = known.options.filter(
      ({ long }) => !["--project", "--body", "--json"].includes(long ?? ""),
    ).length;
    assert.equal(typed.length + sent + asArgument, all, command.words);
  }
});

describe("tidings call", () => {
  let env: Record<string, string>;
  let server: Spawned;
  let keys: ProjectKeys;
  let other: ProjectKeys;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tidings-call-"));
    env = { DATA_DIR: await migratedDataDir(), RATE_LIMITS: "off" };
    server = await serve(env);
    keys = keysOf(server);
    other = JSON.parse(await done(tidings(["project", "create", "--name", "Other", "--json"], env)));
    keepSecrets(other.secretKey, other.publishableKey, other.agentKey);
  });
  after(async () => {
    await rm(folder, { recursive: true });
    assert.equal((await stop(server)).code, 0);
  });

  const inProject = (args: readonly string[], input?: string, projectId = keys.projectId): Promise<Ended> =>
    tidings(["call", ...args, "--project", projectId], env, input);
  const json = async <T>(ended: Promise<Ended>): Promise<T> => JSON.parse(await done(ended)) as T;

  type Goal = { goal: { id: string; name: string; targetEvent: string | null } };
  type Entries = { entries: { operation: string; target: string; by: { kind: string; name: string } }[] };

  it("lists the operations, and finds one by its id, however it is written", async () => {
    const listed = await done(tidings(["call"], env));
    assert.match(listed, /^create-goal +Create a goal/m);
    assert.equal(listed.trim().split("\n").length, operations().size);
    for (const name of ["list-goals", "listGoals", "ListGoals"])
      assert.equal((await json<{ goals: unknown[] }>(inProject([name]))).goals.length, 0);
    await refused(
      inProject(["list-gaols"]),
      /^There is no operation list-gaols: did you mean list-goals\?$/m,
    );
    await refused(inProject(["\u001b[2J"]), /^There is no operation \?\[2J/m);
    await refused(inProject(["__proto__"]), /^There is no operation/m);
    await refused(inProject(["constructor"]), /^There is no operation/m);
  });

  it("takes fields as options and a body as a text, from a file or from standard input", async () => {
    const file = join(folder, "goal.json");
    await writeFile(file, '{"name": "From a file", "targetEvent": "upgraded"}');
    const named = (name: string) => ({ name, targetEvent: "upgraded" });
    const { name, targetEvent } = named("Options");
    const made = [
      await json<Goal>(inProject(["create-goal", "--name", name, "--target-event", targetEvent])),
      await json<Goal>(inProject(["create-goal", "--body", JSON.stringify(named("A text"))])),
      await json<Goal>(inProject(["create-goal", "--body", `@${file}`])),
      await json<Goal>(inProject(["create-goal", "--body", "-"], JSON.stringify(named("Input")))),
      await json<Goal>(inProject(["create-goal", "--body", `@${file}`, "--name", "Goes before"])),
      await json<Goal>(inProject(["create-goal", "--name=--json", "--guardrails", '{"maxWeekly": 2}'])),
    ];
    assert.deepEqual(
      made.map(({ goal }) => [goal.name, goal.targetEvent]),
      [
        ["Options", "upgraded"],
        ["A text", "upgraded"],
        ["From a file", "upgraded"],
        ["Input", "upgraded"],
        ["Goes before", "upgraded"],
        ["--json", null],
      ],
    );
    const { goals } = await json<{ goals: unknown[] }>(inProject(["list-goals", "--status", "archived"]));
    assert.deepEqual(goals, []);
  });

  it("logs a change as one of a command by the user of this computer", async () => {
    const { goal } = await json<Goal>(inProject(["create-goal", "--name", "Logged"]));
    await done(tidings(["launch", "pause", "--by", "Ada", "--project", keys.projectId], env));
    const { entries } = await json<Entries>(inProject(["list-audit-entries"]));
    assert.deepEqual(
      entries.slice(0, 2).map(({ operation, by: { kind, name } }) => [operation, kind, name]),
      [
        ["setLaunchesPaused", "command", "Ada"],
        ["createGoal", "command", operatingUser()],
      ],
    );
    assert.equal(entries[1]?.target, goal.id);
  });

  it("refuses in the API's words, with fields called as they are typed, and changes nothing", async () => {
    const create = (...args: string[]) => inProject(["create-goal", ...args]);
    const before = await json(inProject(["list-goals"]));
    const body = (text: string) => create("--body", text);
    await refused(create(), /^--name is required$/m);
    await refused(create("--name", ""), /^--name must /m);
    await refused(create("--name", "x".repeat(20_000)), /^(--name must be at most|Request body too large)/m);
    await refused(create("--name", "One", "--name", "Two"), /given twice/);
    assert.match((await create("--nam", "One")).stderr, /unknown option '--nam'\n\(Did you mean --name\?\)/);
    await refused(create("--name", "One", "--guardrails", "{"), /^--guardrails must be an object/m);
    await refused(create("--name", "One", "Two"), /too many arguments/);
    await refused(body("{"), /^--body must be valid JSON$/m);
    await refused(body("[]"), /^--body must be a JSON object\.$/m);
    await refused(body('{"name": "a\\u0000b"}'), /must not contain|NUL|0000/i);
    await refused(body('{"name": "One", "nam": "Two"}'), /^nam: unknown field, did you mean name\?$/m);
    await refused(body('{"name": "One", "guardrails": {"maxWeekly": 9007199254740993}}'), /kept exactly/);
    await refused(body(`@${join(folder, "none")}`), /cannot be read: ENOENT/);
    await refused(
      inProject(["update-goal", "--id", "x", "--body", '{"id": "y"}']),
      /^--body must not have id: give it as --id\.$/m,
    );
    await refused(inProject(["update-goal", "--id", "..", "--name", "x"]), /^--id must be an id$/m);
    await refused(inProject(["list-campaigns", "--per-page", "1e9"]), /^--per-page must be/m);
    await refused(inProject(["get-goal"]), /required option '--id <text>'/);
    assert.deepEqual(await json(inProject(["list-goals"])), before);
  });

  it("sees one project alone", async () => {
    const { goal } = await json<Goal>(inProject(["create-goal", "--name", "Mine"]));
    await refused(
      inProject(["get-goal", "--id", goal.id], "", other.projectId),
      new RegExp(`^Goal not found: ${goal.id}$`, "m"),
    );
    await refused(tidings(["call", "list-goals"], env), /^There are several projects/m);
  });

  it("calls what only programs do with the key of the environment, and with that alone", async () => {
    const identify = (key?: string) =>
      tidings(["call", "identify", "--user-id", "ada"], { ...env, ...(key && { TIDINGS_KEY: key }) });
    await refused(identify(), /^Programs call this, with the publishable or the secret key of a project/m);
    await refused(identify("pk_nothing"), /^Unauthorized$/m);
    await refused(identify(keys.agentKey), /^This takes the .* and the agent key was sent\.$/m);
    await done(identify(keys.publishableKey));
    const { total } = await createClient(server.url, keys.secretKey).listUsers();
    assert.equal(total, 1);
  });

  it("has no account: it reads and ends nobody's sessions", async () => {
    for (const args of [["get-me"], ["list-sessions"], ["end-session", "--session-id", other.projectId]])
      await refused(tidings(["call", ...args], env), /^This is about the account of a person/m);
  });

  it("launches as the command line does, and not as a person of the dashboard", async () => {
    const api = createClient(server.url, keys.secretKey);
    const { campaign } = await api.createCampaign({ body: { name: "One", message: toast() } });
    await done(inProject(["set-campaign-status", "--id", campaign.id, "--action", "launch"]));
    assert.equal((await api.getCampaign({ path: { id: campaign.id } })).campaign.status, "running");
    const rows = await ask<{ kind: string }>(
      env.DATA_DIR ?? "",
      `select by_kind as kind from audit_entries where operation = 'setCampaignStatus'`,
    );
    assert.deepEqual(rows, [{ kind: "command" }]);
  });

  it("stays beside people: an invitation of a command is one of nobody's account", async () => {
    keepSecrets(PASSWORD);
    const { invited } = await json<{ invited: { link: string } }>(
      tidings(["call", "invite-person", "--email", "eve@example.com", "--role", "owner"], env),
    );
    keepSecrets(new URL(invited.link).hash.slice(1));
    const made = await fetch(`${server.url}/api/people/links/use`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: server.url },
      body: JSON.stringify({ token: new URL(invited.link).hash.slice(1), password: PASSWORD, name: "Eve" }),
    });
    assert.equal(made.status, 200);
    await made.body?.cancel();
  });
});
