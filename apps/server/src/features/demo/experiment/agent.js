/** The page of the experiment: it draws what the server says, and asks for one day after the other while the days are played. */

const STORY = "/demo/agent/story";
const LOOK_AGAIN_MS = 2_000;
/** A moment to see what changed, before the next day. */
const BETWEEN_DAYS_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 700;

const byId = (id) => document.getElementById(id);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function ask(address, options) {
  const answer = await fetch(address, options);
  const reply = await answer.json();
  if (!answer.ok) throw new Error(reply.error);
  return reply;
}

let story = null;
let isPlaying = false;

/* Drawing */

const side = ({ isControl }) => (isControl ? "control" : "other");
const count = (number) => number.toLocaleString("en");

function textOf(variant) {
  const { name, isControl, title, body, button, saw, ordered } = variant;
  const share = saw === 0 ? "" : ` (${((100 * ordered) / saw).toFixed(1)} %)`;
  return element(
    "article",
    { className: `text ${side(variant)}` },
    element("h2", {}, name, isControl ? element("span", { textContent: "control" }) : ""),
    element(
      "div",
      { className: "toast" },
      element("p", { className: "title", textContent: title }),
      element("p", { className: "body", textContent: body }),
      element("span", { className: "action", textContent: button }),
    ),
    element("p", { className: "counts" }, `${count(saw)} saw it, ${count(ordered)} ordered${share}`),
  );
}

/** The parts of the bar stay, so that they can move. */
function drawBar(variants) {
  const bar = byId("bar");
  if (bar.children.length !== variants.length)
    bar.replaceChildren(...variants.map((each) => element("div", { className: `part ${side(each)}` })));
  for (const [index, { name, weight }] of variants.entries()) {
    const part = bar.children[index];
    part.style.flexGrow = String(weight);
    part.classList.toggle("empty", weight === 0);
    part.replaceChildren(...(weight === 0 ? [] : [element("b", { textContent: `${weight} %` }), name]));
  }
}

const ACTIONS = {
  nothing: "Leaves it",
  allocate: "Divides traffic",
  ship: "Ships",
  retire: "Retires",
  tried: "Wants to ship",
  refused: "Is refused",
};

const runOf = ({ id, day, action, words }) =>
  element(
    "li",
    { className: `run ${action}`, id },
    element("span", { className: "day", textContent: day === null ? "Later" : `Day ${day}` }),
    element("b", { textContent: ACTIONS[action] ?? action }),
    element("p", { textContent: words }),
  );

function draw() {
  const { variants, runs, played, days, isOver, says } = story;
  byId("texts").replaceChildren(...variants.map(textOf));
  drawBar(variants);
  if (byId("says").textContent !== says) byId("says").textContent = says;
  byId("runs").replaceChildren(...runs.map(runOf));
  byId("no-runs").hidden = runs.length > 0;
  byId("days").replaceChildren(
    ...Array.from({ length: days }, (_, day) => element("li", { className: day < played ? "played" : "" })),
  );
  byId("progress").textContent =
    played === 0 ? "No day was played yet." : `Day ${played} of ${days} was played.`;
  byId("play").hidden = isOver;
  byId("play").disabled = isPlaying;
  byId("play").textContent = isPlaying
    ? "Visitors come …"
    : played === 0
      ? "Play ten days of visitors"
      : "Play the other days";
  byId("over").hidden = !isOver;
  byId("again").disabled = isPlaying;
  const best = variants.reduce((most, each) => (each.weight > most.weight ? each : most));
  byId("ending").textContent =
    best.weight > 50
      ? `“${best.name}” sells better, and ${best.weight === 100 ? "all new visitors see it" : `${best.weight} of 100 new visitors see it`}.`
      : "No text was found to be better, so both go on.";
}

/* Doing */

async function attempt(act) {
  byId("fault").hidden = true;
  isPlaying = true;
  draw();
  try {
    await act();
  } catch (error) {
    byId("fault").textContent = `That did not work: ${error.message}`;
    byId("fault").hidden = false;
  }
  isPlaying = false;
  draw();
}

byId("play").addEventListener("click", () =>
  attempt(async () => {
    while (!story.isOver) {
      const { played } = story;
      story = await ask("/demo/agent/days", { method: "POST" });
      draw();
      if (story.played === played) throw new Error("no visitor of this day saw a message.");
      await pause(BETWEEN_DAYS_MS);
    }
  }),
);

byId("again").addEventListener("click", () =>
  attempt(async () => {
    story = await ask(`/demo/agent/again/${story.campaignId}`, { method: "POST" });
    byId("play").hidden = false;
    scrollTo(0, 0);
  }),
);

/** Another page may press the button as well. */
async function look() {
  if (!isPlaying && document.visibilityState === "visible") {
    const found = await ask(STORY).catch(() => null);
    if (found !== null && !isPlaying) {
      story = found;
      draw();
    }
  }
  setTimeout(look, LOOK_AGAIN_MS);
}

await look();
