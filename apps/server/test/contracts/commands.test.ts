import { it } from "node:test";
import { commandGroups, commands } from "../../src/features.ts";
import { assertNone } from "./complaints.ts";

it("a group of commands is begun by one room, and has every command that spells an operation", () => {
  const groups = commandGroups.map(([name]) => name);
  const twice = groups.filter((name, place) => groups.indexOf(name) !== place);
  const without = commands.flatMap((command) => {
    if (typeof command === "function") return [];
    const [group = ""] = command.words.split(" ");
    return groups.includes(group)
      ? []
      : [`${command.words}: say in commandGroups of its room what ${group} is about`];
  });
  assertNone([...twice.map((name) => `${name}: two rooms begin it; one is enough`), ...without]);
});
