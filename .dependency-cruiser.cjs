const { readSteps } = require("./apps/server/scripts/staircase.ts");

/**
 * The arrows of ARCHITECTURE.md as law. Tests may reach anywhere; the house may not. The rooms are a staircase, listed in features.ts: a
 * room imports from the steps below its own. The rooms of a wing (`users/…`) stand on neighbouring steps.
 */
const STEPS = readSteps();
const FEATURES = "^apps/server/src/features/";
/** What a file is called that decides from what it is given alone. */
const GATE = "/gates/[^/]+\\.ts$";
const PURE = "(/(schema|rules)|\\.pure)\\.ts$";

const feature = (names) => `${FEATURES}(${names.join("|")})/`;

const DASHBOARD = "^apps/dashboard/src/";
/** The dashboard from below: each imports from what stands before it, but a feature needs nothing of the shell around the pages. */
const DASHBOARD_STEPS = ["platform/", "ui/", "shell/", "features/", "(app|main)\\.tsx$"];

/** Tests, and the requests that they send (`samples.test-data.ts`). */
const NOT_A_TEST = "\\.test(-data)?\\.ts$";

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "Two files that need each other are one file, or a third one that both need. Types count.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "platform-knows-no-feature",
      comment: "The platform serves every feature and names none: pass what it needs in from app.ts.",
      severity: "error",
      from: { path: "^apps/server/src/platform/", pathNot: NOT_A_TEST },
      to: { path: "^apps/server/src/(domain|features|cli|app|main)" },
    },
    {
      name: "domain-knows-no-feature",
      comment: "Ids and fields that many features share know none of them.",
      severity: "error",
      from: { path: "^apps/server/src/domain/" },
      to: { path: "^apps/server/src/(features|cli|app|main)" },
    },
    ...STEPS.slice(0, -1).map((names, step) => ({
      name: `step-${step + 1}-looks-down-only`,
      comment: "A room imports from lower steps only. What must go up is a function that app.ts plugs in.",
      severity: "error",
      from: { path: feature(names), pathNot: NOT_A_TEST },
      to: { path: feature(STEPS.slice(step + 1).flat()) },
    })),
    ...STEPS.filter((names) => names.length > 1).flatMap((names) =>
      names.map((name) => ({
        name: `${name}-beside-its-neighbours`,
        comment: "Rooms on one step need nothing of each other.",
        severity: "error",
        from: { path: feature([name]), pathNot: NOT_A_TEST },
        to: { path: feature(names.filter((other) => other !== name)) },
      })),
    ),
    ...STEPS.flat().map((name) => ({
      name: `${name}-through-its-door`,
      comment:
        "Another room is entered through its public.ts; its pure files (schema.ts, rules.ts, *.pure.ts) and its gates may be read directly.",
      severity: "error",
      from: { path: FEATURES, pathNot: [feature([name]), NOT_A_TEST] },
      to: { path: feature([name]), pathNot: ["/public\\.ts$", PURE, GATE] },
    })),
    {
      name: "pure-files-stay-pure",
      comment: "Schemas and rules decide from what they are given: no database, no clock, no Node.",
      severity: "error",
      from: { path: `${FEATURES}.*${PURE}`, pathNot: NOT_A_TEST },
      to: {
        path: [
          "^apps/server/src/platform/(?!http/contract/(fields|instants|person|cursor\\.pure)\\.ts|settings/(setting|typed)\\.ts|text/(byte-order-mark|clean-line|exact-json|nearest-name)\\.ts|time/(far-ahead|written-instants|zone)\\.ts|net/smtp-url\\.ts|word-ops\\.ts)",
          "^apps/server/src/domain/(?!(fields|tables|visitors\\.pure)\\.ts)",
          "/(store|public)\\.ts$",
        ],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "pure-files-need-no-node",
      comment: "See pure-files-stay-pure.",
      severity: "error",
      from: { path: `${FEATURES}.*${PURE}`, pathNot: NOT_A_TEST },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "sql-lives-in-stores",
      comment:
        "Statements are written in store files, so that one place says what touches a table. A gate has its condition in SQL beside the one in JavaScript.",
      severity: "error",
      from: { path: FEATURES, pathNot: ["store\\.ts$", GATE, NOT_A_TEST] },
      to: { path: "node_modules/(kysely|pg)/" },
    },
    {
      name: "operations-see-no-server",
      comment: "A handler is (ctx, input) -> data; requests and replies stay in the platform.",
      severity: "error",
      from: { path: "^apps/server/src/features/" },
      to: { path: "node_modules/(fastify|@fastify)/" },
    },
    {
      name: "index-is-for-features-ts",
      comment: "A feature's index lists what it brings into the house; only features.ts reads the lists.",
      severity: "error",
      from: { pathNot: "^apps/server/src/features\\.ts$" },
      to: { path: `${FEATURES}.+/index\\.ts$` },
    },
    {
      name: "only-the-root-sees-everything",
      comment: "features.ts and app.ts put the house together; nothing inside it may need them.",
      severity: "error",
      from: { path: "^apps/server/src/(features/|platform/)", pathNot: NOT_A_TEST },
      to: { path: "^apps/server/src/(app|features|main)\\.ts$" },
    },
    ...DASHBOARD_STEPS.slice(0, -1).map((path, step) => ({
      name: `dashboard-${path.slice(0, -1)}-looks-down-only`,
      comment: "In the dashboard, app.tsx sees features and shell, these see ui, and ui sees the platform.",
      severity: "error",
      from: { path: DASHBOARD + path },
      to: { path: DASHBOARD_STEPS.slice(step + 1).map((above) => DASHBOARD + above) },
    })),
    {
      name: "dashboard-features-stand-apart",
      comment:
        "Pages of one feature import nothing of another one, nor of the shell: what they share belongs to ui or platform.",
      severity: "error",
      from: { path: `${DASHBOARD}features/([^/]+)/` },
      to: { path: `${DASHBOARD}(features|shell)/`, pathNot: `${DASHBOARD}features/$1/` },
    },
    {
      name: "packages-stand-alone",
      comment: "What customers install imports nothing of the server.",
      severity: "error",
      from: { path: "^packages/", pathNot: NOT_A_TEST },
      to: { path: "^apps/" },
    },
    {
      name: "what-starts-is-a-dependency",
      comment:
        "npm ci --omit=dev is enough for npm start: what the server and the builds before it import is under `dependencies` of their workspace.",
      severity: "error",
      from: { path: "^(apps|packages)/[^/]+/(bin/|src/|scripts/build\\.ts$)", pathNot: NOT_A_TEST },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "no-unresolved",
      comment:
        "An import that leads nowhere. What the demo's page of a phone imports is made by the build, and served beside it.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^\\./device\\.js$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: "^(apps|packages)/[^/]+/dist/",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
