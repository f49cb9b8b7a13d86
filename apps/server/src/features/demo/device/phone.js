/** A phone with the shop's app, as its makers would write it: plain calls to Tidings, each of which may be repeated. */

const APP = { appId: "com.example.daybreak", platform: "ios", environment: "development" };
const KEPT = "daybreak:phone";
const LOOK_AGAIN_MS = 700;
const ANSWER_WITHIN_MS = 10_000;
const MOST_COMMANDS = 32;
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

/** What the app keeps: who it is, what it has yet to tell, and which pushes it has seen. */
const newPhone = () => ({
  installationId: random(16),
  capability: random(32),
  token: `demo-${random(24)}`,
  userId: `phone-${random(6)}`,
  allowed: false,
  bindingGeneration: 0,
  sequence: 0,
  untold: [],
  seen: {},
  steps: [],
});
const phone = { ...newPhone(), ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
const keep = () => localStorage.setItem(KEPT, JSON.stringify(phone));
keep();

function forget() {
  localStorage.removeItem(KEPT);
  location.reload();
}

/** A request that was not answered is one that failed: it must not keep what comes after it waiting. */
const ask = (address, options) =>
  fetch(address, { ...options, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });

/* Tidings */

async function call(method, path, body) {
  const answer = await ask(`/api/v1/sdk/installations${path}`, {
    method,
    headers: {
      authorization: `Bearer ${document.body.dataset.key}`,
      "x-service-installation-capability": phone.capability,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const reply = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(reply.error), { status: answer.status });
  return reply;
}

/** A change of the installation as it is now. */
async function change(method, what, body) {
  const path = `/${phone.installationId}`;
  const { installation } = await call("GET", path);
  const { bindingGeneration, revision, tokenRevision } = installation;
  const guards = { requestId: random(16), bindingGeneration, revision };
  const more = what === "token" ? { tokenRevision } : {};
  const changed = await call(method, `${path}/${what}`, { ...guards, ...more, ...body });
  note(what);
  return changed.installation;
}

/** Makes the phone known, says who uses it, what it may be sent, and where it is reached. */
async function register() {
  const { installationId, capability, userId, token } = phone;
  await call("POST", "", { ...APP, installationId, capability });
  note("installation");
  await change("PUT", "binding", { userId });
  const capabilities = { actions: ["show", "later"], channels: [], richImages: false };
  await change("PUT", "facts", { permission: "granted", consent: true, capabilities });
  await change("PUT", "token", { token });
  const { bindingGeneration } = await change("POST", "activity", {});
  Object.assign(phone, { bindingGeneration, allowed: true });
  step("registered");
}

/** Keeps something to report: it stays here until the server has it, whatever happens to this page. */
function report(command) {
  phone.sequence++;
  phone.untold.push({ id: random(12), sequence: phone.sequence, ...command });
  keep();
  void tell();
}

let telling = false;

/** Reports what is kept, in its order. */
async function tell() {
  if (telling || phone.untold.length === 0) return;
  telling = true;
  try {
    const commands = phone.untold.slice(0, MOST_COMMANDS);
    const { bindingGeneration } = phone;
    const path = `/${phone.installationId}/observations`;
    const { acknowledgedThrough } = await call("POST", path, { bindingGeneration, commands });
    phone.untold = phone.untold.filter(({ sequence }) => sequence > acknowledgedThrough);
    for (const { kind, actionId, event } of commands)
      note([kind, actionId ?? event].filter(Boolean).join(" "));
    keep();
  } catch (error) {
    // The server knows nothing of this phone any more, or of what it would go on from.
    if (error.status === 404 || error.status === 409) forget();
  } finally {
    telling = false;
  }
}

const about = ({ targetId, attemptId }) => ({ targetId, attemptId });

/** A push is on the phone: that is a receipt, once for each attempt. */
function arrived(envelope) {
  if (phone.seen[envelope.attemptId] !== undefined) return;
  phone.seen[envelope.attemptId] = "shown";
  report({ kind: "receipt", ...about(envelope) });
  step("receipt");
}

function engaged(envelope, command, opens) {
  phone.seen[envelope.attemptId] = "gone";
  report({ ...command, ...about(envelope) });
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
    { type: "button", className: "open", onclick: () => engaged(envelope, { kind: "tap" }, true) },
    text("from", "Daybreak Coffee"),
    text("title", title),
    text("body", body),
  );
  const buttons = actions.map(({ id, title: label }) =>
    element("button", {
      type: "button",
      textContent: label,
      onclick: () => engaged(envelope, { kind: "action", actionId: id }, id === "show"),
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
    await tell();
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
  report({ kind: "event", event: "order_placed", eventId: random(12), props: { items: 1, cents: 1450 } });
  step("bought");
  show("lock");
});
byId("close").addEventListener("click", () => show("lock"));
byId("again").addEventListener("click", forget);
draw();
await look();
