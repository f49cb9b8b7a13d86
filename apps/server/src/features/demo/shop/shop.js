/** A small shop, written as a customer of Tidings would write it. Tidings itself is used in `did` and `start`. */

const COFFEES = [
  {
    slug: "morning-blend",
    name: "Morning Blend",
    hue: "amber",
    cents: 1450,
    text: "Hazelnut and honey. Forgives whoever brews it half asleep.",
  },
  {
    slug: "night-shift",
    name: "Night Shift",
    hue: "indigo",
    cents: 1590,
    text: "Dark cocoa and cherry, for work that will not wait until tomorrow.",
  },
  {
    slug: "slow-sunday",
    name: "Slow Sunday",
    hue: "rose",
    cents: 1390,
    text: "Decaf, peach and black tea. Nothing happens, beautifully.",
  },
];

const byId = (id) => document.getElementById(id);
const price = (cents) =>
  new Intl.NumberFormat("en", { style: "currency", currency: "EUR" }).format(cents / 100);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/* Tidings */

const tell = (...calls) => {
  window.tidings ??= [];
  window.tidings.push(...calls);
};

/** Something happened: the page sends it to Tidings, and the panel shows what was sent. */
function did(event, props) {
  tell(["track", event, props]);
  note(`track ${event}`);
}

const VISITOR = "daybreak:visitor";
const visitor = localStorage.getItem(VISITOR) ?? `visitor-${Math.random().toString(36).slice(2, 10)}`;
localStorage.setItem(VISITOR, visitor);

function start() {
  tell(
    ["init", { key: document.body.dataset.key, navigate: (url) => go(url.pathname) }],
    ["identify", visitor, { source: "demo" }],
  );
  note(`identify ${visitor}`);
}

/* The shop */

const BASKET = "daybreak:basket";
const basket = () => JSON.parse(sessionStorage.getItem(BASKET) ?? "[]");
const keepBasket = (slugs) => sessionStorage.setItem(BASKET, JSON.stringify(slugs));
let current = COFFEES[0];

function draw() {
  const place = location.pathname.split("/")[2] ?? "";
  const coffee = COFFEES.find(({ slug }) => slug === place);
  const name = coffee ? "product" : place === "basket" || place === "thanks" ? place : "home";
  for (const section of document.querySelectorAll("[data-place]"))
    section.hidden = section.dataset.place !== name;
  if (coffee) {
    current = coffee;
    byId("product-bag").className = `bag ${coffee.hue}`;
    byId("product-name").textContent = coffee.name;
    byId("product-text").textContent = coffee.text;
    byId("product-price").textContent = price(coffee.cents);
    did("product_viewed", { product: coffee.slug });
  }
  const lines = basket().flatMap((slug) => COFFEES.find((each) => each.slug === slug) ?? []);
  byId("basket-count").textContent = String(lines.length);
  byId("lines").replaceChildren(
    ...lines.map((line) => element("li", {}, line.name, element("span", { textContent: price(line.cents) }))),
  );
  byId("empty").hidden = lines.length > 0;
  byId("buy").hidden = lines.length === 0;
}

function go(path) {
  history.pushState(null, "", path);
  draw();
  scrollTo(0, 0);
}

byId("shelf").append(
  ...COFFEES.map(({ slug, name, hue, cents, text }) =>
    element(
      "li",
      {},
      element(
        "a",
        { href: `/demo/${slug}` },
        element("div", { className: `bag ${hue}` }),
        element("h2", { textContent: name }),
        element("p", { textContent: text }),
        element("p", { className: "price", textContent: price(cents) }),
      ),
    ),
  ),
);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a");
  // The outbox, the phone and the experiment are no pages of the shop.
  const isOfShop =
    link?.pathname.startsWith("/demo") &&
    !link.pathname.startsWith("/demo/outbox") &&
    !["/demo/device", "/demo/agent"].includes(link.pathname);
  if (!isOfShop || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  go(link.pathname);
});
addEventListener("popstate", draw);
byId("add").addEventListener("click", () => {
  keepBasket([...basket(), current.slug]);
  did("added_to_basket", { product: current.slug });
  go("/demo/basket");
});
byId("buy").addEventListener("click", () => {
  const slugs = basket();
  const cents = COFFEES.filter(({ slug }) => slugs.includes(slug)).reduce((sum, each) => sum + each.cents, 0);
  did("order_placed", { items: slugs.length, cents });
  keepBasket([]);
  go("/demo/thanks");
});

byId("letter").addEventListener("submit", (event) => {
  event.preventDefault();
  const { value: email } = byId("address");
  tell(["identify", visitor, { email }]);
  note("identify with an address");
  byId("written").replaceChildren(
    `We have written to ${email}. `,
    element("a", { href: "/demo/outbox", textContent: "Read it in the outbox" }),
    ": this server sends no mail.",
  );
});

/* Behind the counter */

function note(text) {
  const time = new Date().toLocaleTimeString("en-GB");
  byId("log").prepend(element("li", {}, element("time", { textContent: time }), text));
}

byId("visitor").textContent = visitor;
byId("again").addEventListener("click", () => {
  localStorage.removeItem(VISITOR);
  sessionStorage.clear();
  location.assign("/demo");
});

const COUNTED = ["shown", "clicked", "converted"];
const COUNTED_OF_MAIL = ["sent", "opened", "clicked", "unsubscribed"];
let first = null;

function drawNumbers(campaigns) {
  const offer = campaigns[0];
  first ??= JSON.parse(sessionStorage.getItem("daybreak:first") ?? "null") ?? offer;
  sessionStorage.setItem("daybreak:first", JSON.stringify(first));
  for (const name of COUNTED) byId(`step-${name}`).classList.toggle("done", offer[name] > first[name]);
  byId("numbers").replaceChildren(...rows(campaigns, COUNTED));
}

const rows = (campaigns, counted) =>
  campaigns.map((campaign) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", textContent: campaign.name }),
      ...counted.map((name) => element("td", { textContent: String(campaign[name]) })),
    ),
  );

/** Where mail is not kept for looking at, the shop asks no visitor for an address. */
function drawMail(mail) {
  byId("mail").hidden = byId("letter").hidden = mail.length === 0;
  byId("mail-numbers").replaceChildren(...rows(mail, COUNTED_OF_MAIL));
}

async function refresh() {
  if (document.visibilityState === "visible") {
    const response = await fetch("/demo/assets/numbers.json").catch(() => null);
    if (response?.ok) {
      const { campaigns, mail } = await response.json();
      drawNumbers(campaigns);
      drawMail(mail);
    }
  }
  setTimeout(refresh, 700);
}

draw();
await Promise.race([refresh(), new Promise((resolve) => setTimeout(resolve, 500))]);
start();
