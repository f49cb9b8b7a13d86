/** Names by which the demo finds again what it has made. */
export const FIRST_ORDERS = "First orders";
export const BACK_IN_STOCK = "Back in stock";
export const WELCOME = "Welcome";

/** The event of a purchase, and the target event of the shop's goals. */
export const PURCHASE = "order_placed";

/** The trait that customers of the simulated month have, and no visitor of the shop. */
export const CUSTOMER_SINCE = "customer_since";
