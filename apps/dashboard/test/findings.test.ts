import assert from "node:assert/strict";
import { it } from "node:test";
import { stepWarning } from "../src/features/journeys/step-warning.ts";
import { fieldName, traitName, warningPlace, warningText } from "../src/ui/findings/rules.pure.ts";

it("a finding is said of the variant and the field that people know", () => {
  assert.deepEqual(warningPlace("/variants/11/content/cta/label"), { variant: 11, field: "cta.label" });
  for (const path of ["", "/message/body", "/variants/x/content/body", "/variants/1"])
    assert.equal(warningPlace(path), null, path);
  assert.deepEqual(["subject", "actions.1.title", "new.one"].map(fieldName), [
    "Subject",
    "Button 2",
    "new.one",
  ]);
  const named = ["user.first_name", 'user["favourite colour"]', 'user["cut off…', "user.id"].map(traitName);
  assert.deepEqual(named, ["first_name", "favourite colour", 'user["cut off…', "id"]);
  assert.equal(warningText({ message: "No.", suggestions: ["a", "b"] }), "No. Perhaps it is a or b.");
});

it("a finding in a journey is said of the step and the field that people know", () => {
  const steps = [{ id: "pause", kind: "end" as const }];
  const shown = (path: string) => stepWarning({ path, message: "No." }, steps);
  assert.equal(
    shown("/steps/0/variants/11/content/cta/label"),
    "1. End of the journey, Text of the button: No.",
  );
  for (const path of ["", "/steps/1/variants/0/content/body", "/steps/0", "/variants/0/content/body"])
    assert.equal(shown(path), "No.", path);
});
