import { BAD_NUMBERS, BAD_WORDS, testSettings } from "../../../../test/setting-cases.ts";
import { HOSTS_RULE } from "../../access/perimeter/hosts.pure.ts";
import { agentSettingGroup } from "./settings.ts";

testSettings(agentSettingGroup, {
  "safety.loopPaused": {
    good: [
      ["true", true],
      ["false", false],
    ],
    bad: [...BAD_WORDS, " "],
    rule: "must be true or false",
  },
  "safety.approvalOverride": {
    good: [[" require_human ", "require_human"]],
    bad: ["auto", "none", "REQUIRE_HUMAN", "true", "null", " "],
    rule: "must be require_human",
  },
  "safety.maxRunsPerDay": {
    good: [
      ["0", 0],
      ["20", 20],
      ["10000", 10_000],
    ],
    bad: [...BAD_NUMBERS, "10001"],
    rule: "must be a whole number from 0 to 10000",
  },
  "safety.maxConcurrentCampaigns": {
    good: [
      ["0", 0],
      ["1000", 1_000],
    ],
    bad: [...BAD_NUMBERS, "1001"],
    rule: "must be a whole number from 0 to 1000",
  },
  "links.allowedHosts": {
    good: [
      ["acme.example", "acme.example"],
      [" Acme.Example.,*.ACME.example acme.example\n", "acme.example, *.acme.example"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["AcmeApp:, 127.0.0.1, [::1]", "acmeapp:, 127.0.0.1, [::1]"],
    ],
    bad: [
      " ",
      ",",
      "*",
      "*.",
      "*.example",
      "https://acme.example",
      "acme.example/path",
      "acme.example:8443",
      "a@acme.example",
      "https:",
      "javascript:",
      "a*.example",
      "*.127.0.0.1",
      "acme\\.example",
      "a..b?",
      "%61.example",
      Array.from({ length: 101 }, (_, index) => `h${index}.example`).join(),
    ],
    rule: HOSTS_RULE,
  },
  "safety.approvalHours": {
    good: [
      ["1", 1],
      ["8760", 8_760],
    ],
    bad: [...BAD_NUMBERS, "0", "8761"],
    rule: "must be a whole number from 1 to 8760",
  },
  "agent.policy": {
    good: [
      [" statistical@1 ", "statistical@1"],
      ["model@1", "model@1"],
    ],
    bad: ["statistical", "statistical@2", "true"],
    rule: "must be one of statistical@1, model@1",
  },
  "agent.everyHours": {
    good: [
      ["1", 1],
      ["720", 720],
    ],
    bad: [...BAD_NUMBERS, "0", "721"],
    rule: "must be a whole number from 1 to 720",
  },
  "agent.modelUrl": {
    good: [
      [" https://models.example.com/v1/ ", "https://models.example.com/v1"],
      ["http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"],
      ["http://localhost:8000", "http://localhost:8000"],
      ["http://[::1]:8000/v1", "http://[::1]:8000/v1"],
      ["https://models.example.com/v1?api-version=2", "https://models.example.com/v1?api-version=2"],
    ],
    bad: [
      "models.example.com",
      "http://models.example.com/v1",
      "http://127.0.0.1.example.com/v1",
      "https://ada:hunter2@models.example.com/v1",
      "https://models.example.com/v1#x",
      "ftp://models.example.com",
    ],
    rule: "must be an https:// address, or an http:// address of this machine, without a user, a password and a fragment",
  },
  "agent.model": {
    good: [["gpt-x", "gpt-x"]],
    bad: ["a\u0000b", "x".repeat(201)],
    rule: "must be 1 to 200 characters without line breaks or control characters",
  },
  "agent.modelKey": {
    good: [["sk-1", "sk-1"]],
    bad: ["a b", 'a"b', "a\\b", "ä", "x".repeat(2_001)],
    rule: "must be 1 to 2000 printable ASCII characters, without blanks, quotes and backslashes",
  },
  "agent.maxSteps": {
    good: [
      ["1", 1],
      ["50", 50],
    ],
    bad: [...BAD_NUMBERS, "0", "51"],
    rule: "must be a whole number from 1 to 50",
  },
  "agent.maxTokens": {
    good: [
      ["1000", 1_000],
      ["10000000", 10_000_000],
    ],
    bad: [...BAD_NUMBERS, "999", "10000001"],
    rule: "must be a whole number from 1000 to 10000000",
  },
  "agent.maxSeconds": {
    good: [
      ["1", 1],
      ["3000", 3_000],
    ],
    bad: [...BAD_NUMBERS, "0", "3001"],
    rule: "must be a whole number from 1 to 3000",
  },
});
