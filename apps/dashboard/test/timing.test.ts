import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  describeSendTime,
  describeTiming,
  describeTimingValue,
  type HourOfCampaign,
  USUAL_TIMING,
  weekdaysInOrder,
} from "../src/ui/campaigns/timing-words.ts";

const at = (weekdays?: HourOfCampaign["weekdays"]): HourOfCampaign => ({
  at: "09:00",
  zone: "user",
  ...(weekdays !== undefined && { weekdays }),
});

describe("when a campaign leaves", () => {
  it("is a sentence", () => {
    const cases: [HourOfCampaign | null, string][] = [
      [null, "Leaves at once"],
      [at(), "Leaves at 09:00 in the time zone of each reader"],
      [{ at: "17:30", zone: "Europe/Berlin" }, "Leaves at 17:30 in the zone Europe/Berlin"],
      [
        at(["mon", "tue", "wed", "thu", "fri"]),
        "Leaves at 09:00 in the time zone of each reader, Monday to Friday",
      ],
      [at(["sun", "sat"]), "Leaves at 09:00 in the time zone of each reader, Saturday and Sunday"],
      [at(["wed"]), "Leaves at 09:00 in the time zone of each reader, Wednesday"],
      [
        at(["mon", "wed", "sun"]),
        "Leaves at 09:00 in the time zone of each reader, Monday, Wednesday and Sunday",
      ],
      [
        at(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]),
        "Leaves at 09:00 in the time zone of each reader",
      ],
    ];
    for (const [sendTime, sentence] of cases) assert.equal(describeSendTime(sendTime), sentence);
  });

  it("comes with what is not as usual", () => {
    assert.equal(describeTiming(USUAL_TIMING), "Leaves at once.");
    assert.equal(
      describeTiming({ sendTime: at(), priority: 5, patienceHours: 1, urgent: true }),
      "Leaves at 09:00 in the time zone of each reader. It is urgent: neither quiet hours nor what else a reader got keep it. Its priority is 5 of 5. What has to wait is withdrawn after 1 hour.",
    );
  });

  it("has days in the order of the week", () => {
    assert.deepEqual(weekdaysInOrder(["sun", "mon", "thu"]), ["mon", "thu", "sun"]);
  });

  it("is in words among the changes of a campaign, where what is not said is as usual", () => {
    const cases: [string, unknown, string | null][] = [
      ["sendTime", null, "Leaves at once"],
      ["sendTime", at(["mon"]), "Leaves at 09:00 in the time zone of each reader, Monday"],
      ["sendTime.zone", "user", "that of each reader"],
      ["sendTime.zone", "Asia/Tokyo", "Asia/Tokyo"],
      ["sendTime.weekdays", null, "every day"],
      ["sendTime.weekdays", ["sat", "sun"], "Saturday and Sunday"],
      ["priority", null, "3"],
      ["patienceHours", 5, "5"],
      ["urgent", null, "no"],
      ["urgent", true, "yes"],
      ["name", "Digest", null],
    ];
    for (const [path, value, words] of cases) assert.equal(describeTimingValue(path, value), words, path);
  });
});
