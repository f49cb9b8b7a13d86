/** A phone with the shop's app, as its makers would write it with the device library. */
import { openDevice } from "./device.js";

const APP = { appId: "com.example.daybreak", platform: "ios", environment: "development" };
const KEPT = "daybreak:phone";
const LOOK_AGAIN_MS = 700;
const ANSWER_WITHIN_MS = 10_000;
const MOST_LINES = 12;

const byId = (id) => document.getElementById(id);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function random(bytes) {
  const drawn = crypto.getRandomValues(new Uint8Array(bytes));
  return btoa(String.fromCharCode(...drawn))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** What the app keeps, beside what the library does: its token and user, and which pushes it has seen. */
const newPhone = () => ({
  token: `demo-${random(24)}`,
  userId: `phone-${random(6)}`,
  allowed: false,
  seen: {},
  steps: [],
});
const phone = { ...newPhone(), ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
const keep = () => localStorage.setItem(KEPT, JSON.stringify(phone));
keep();

/** Each phone has a place of its own for what the library stores. */
const PLACE = `${KEPT}:${phone.token}:`;

function forget() {
  for (const name of Object.keys(localStorage)) if (name.startsWith(KEPT)) localStorage.removeItem(name);
  location.reload();
}

/** A request that was not answered is one that failed: it must not keep what comes after it waiting. */
const ask = (address, options) =>
  fetch(address, { ...options, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });

/* Tidings */

const storage = {
  get: async (name) => localStorage.getItem(PLACE + name),
  set: async (name, value) => localStorage.setItem(PLACE + name, value),
};

/** The log shows what the server took. */
async function logged(address, { method, headers, body }) {
  const answer = await fetch(address, { method, headers, body });
  const what = /installations(?:\/[^/]+\/(.*))?$/.exec(address)?.[1];
  const { commands = [] } = JSON.parse(body);
  if (!answer.ok) return answer;
  if (what !== "observations") note(what ?? "installation");
  for (const { kind, actionId, event } of commands) note([kind, actionId ?? event].filter(Boolean).join(" "));
  return answer;
}

const device = openDevice({
  ...APP,
  url: location.origin,
  key: document.body.dataset.key,
  storage,
  // Tabs share what is stored. Only a secure address has locks.
  ...(navigator.locks && { exclusively: (work) => navigator.locks.request(KEPT, work) }),
  fetch: logged,
  // The server knows this phone otherwise than the page does: it begins anew.
  onFault: forget,
});

/** Makes the phone known, says who uses it, what it may be sent, and where it is reached. */
async function register() {
  const capabilities = { actions: ["show", "later"], channels: [], richImages: false };
  await device.identify(phone.userId);
  await device.setFacts({ permission: "granted", consent: true, capabilities });
  await device.setToken(phone.token);
  await device.active();
  if (!(await device.sync())?.hasToken) throw new Error("The server did not answer.");
  phone.allowed = true;
  step("registered");
}

/** A push is on the phone: that is a receipt, once for each attempt. */
function arrived(envelope) {
  if (phone.seen[envelope.attemptId] !== undefined) return;
  phone.seen[envelope.attemptId] = "shown";
  void device.received(envelope);
  step("receipt");
}

function engaged(envelope, reported, opens) {
  phone.seen[envelope.attemptId] = "gone";
  void reported;
  step("engaged");
  draw();
  if (opens) show("app");
}

/* The phone */

let pushes = [];
const drawn = new Map();

function card(envelope) {
  const { title, body, actions = [] } = envelope.content;
  const text = (className, textContent) => element("span", { className, textContent });
  const opened = element(
    "button",
    { type: "button", className: "open", onclick: () => engaged(envelope, device.opened(envelope), true) },
    text("from", "Daybreak Coffee"),
    text("title", title),
    text("body", body),
  );
  const buttons = actions.map(({ id, title: label }) =>
    element("button", {
      type: "button",
      textContent: label,
      onclick: () => engaged(envelope, device.acted(envelope, id), id === "show"),
    }),
  );
  return element(
    "article",
    { className: "card" },
    opened,
    ...(buttons.length > 0 ? [element("div", { className: "actions" }, ...buttons)] : []),
  );
}

function draw() {
  const shown = pushes.filter(({ attemptId }) => phone.seen[attemptId] === "shown");
  for (const [attemptId, made] of drawn)
    if (!shown.some((envelope) => envelope.attemptId === attemptId)) {
      made.remove();
      drawn.delete(attemptId);
    }
  for (const envelope of shown)
    if (!drawn.has(envelope.attemptId)) {
      drawn.set(envelope.attemptId, card(envelope));
      byId("cards").append(drawn.get(envelope.attemptId));
    }
  byId("ask").hidden = phone.allowed;
  byId("hint").hidden = !phone.allowed || shown.length > 0;
  byId("hint").textContent = phone.steps.includes("engaged")
    ? "Nothing new. A user gets a campaign once."
    : "Waiting for a push …";
  for (const name of phone.steps) byId(`step-${name}`).classList.add("done");
}

function show(name) {
  byId("lock").hidden = name !== "lock";
  byId("app").hidden = name !== "app";
  byId(name === "app" ? "buy" : "cards").focus();
}

function step(name) {
  if (!phone.steps.includes(name)) phone.steps.push(name);
  keep();
  draw();
}

function note(text) {
  const time = new Date().toLocaleTimeString("en-GB");
  byId("log").prepend(element("li", {}, element("time", { textContent: time }), text));
  byId("log").children[MOST_LINES]?.remove();
}

const ofNow = (options) => new Intl.DateTimeFormat("en-GB", options).format(new Date());

function drawNumbers(campaigns) {
  byId("numbers").replaceChildren(
    ...campaigns
      .filter(({ name }) => name === "Back in stock")
      .map(({ name, shown, clicked, converted }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row", textContent: name }),
          ...[shown, clicked, converted].map((count) => element("td", { textContent: String(count) })),
        ),
      ),
  );
}

async function json(address) {
  const answer = await ask(address).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

/** What a push service would bring by itself. */
async function look() {
  byId("clock").textContent = ofNow({ hour: "2-digit", minute: "2-digit" });
  byId("day").textContent = ofNow({ weekday: "long", day: "numeric", month: "long" });
  if (document.visibilityState === "visible") {
    const inbox = phone.allowed ? await json(`/demo/device/inbox/${phone.token}`) : null;
    pushes = inbox?.pushes.map(({ payload }) => payload.tidings) ?? pushes;
    for (const envelope of pushes) arrived(envelope);
    draw();
    const numbers = await json("/demo/assets/numbers.json");
    if (numbers !== null) drawNumbers(numbers.campaigns);
  }
  setTimeout(look, LOOK_AGAIN_MS);
}

byId("user").textContent = phone.userId;
byId("allow").addEventListener("click", async ({ currentTarget }) => {
  currentTarget.disabled = true;
  await register().catch(forget);
});
byId("buy").addEventListener("click", () => {
  void device.track("order_placed", { items: 1, cents: 1450 });
  step("bought");
  show("lock");
});
byId("close").addEventListener("click", () => show("lock"));
byId("again").addEventListener("click", forget);
draw();
await look();
