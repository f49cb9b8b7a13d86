import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageProps } from "./page.pure.ts";

const read = (
  properties: Record<string, unknown>,
  page: Record<string, unknown> = {},
  more: { name?: unknown; category?: unknown } = {},
) => pageProps({ name: more.name, category: more.category, properties, page });

describe("the properties of a page", () => {
  it("are its address without query and fragment, its path, and what else is said", () => {
    // As analytics-next sends them.
    const properties = {
      path: "/reset",
      referrer: "https://mail.example/read?token=secret#x",
      search: "?token=secret",
      title: "Reset",
      url: "https://shop.example/reset?token=secret#step-2",
      name: "Reset password",
      category: "Account",
    };
    assert.deepEqual(read(properties, properties, { name: "Reset password", category: "Account" }), {
      $current_url: "https://shop.example/reset",
      $pathname: "/reset",
      name: "Reset password",
      category: "Account",
      referrer: "https://mail.example/read",
      title: "Reset",
    });
  });

  it("of RudderStack leave the queries of its further addresses out", () => {
    const kept = read({
      initial_referrer: "https://a.example/?secret",
      tab_url: "https://b.example/#secret",
      initial_referring_domain: "a.example",
      search: "?secret",
      url: "https://b.example/?secret",
    });
    assert.doesNotMatch(JSON.stringify(kept), /secret/);
    assert.equal(kept.initial_referring_domain, "a.example");
  });

  it("take no query from those that have our names already", () => {
    const kept = read({
      $current_url: "https://a.example/x?secret",
      $pathname: "/x#secret",
      $referrer: "https://b.example/?secret",
    });
    assert.deepEqual(kept, {
      $current_url: "https://a.example/x",
      $pathname: "/x",
      $referrer: "https://b.example/",
    });
  });

  it("take the address of the context where the call has none, and none where there is none", () => {
    assert.deepEqual(read({}, { url: "https://a.example/x?y", path: "/x", search: "?y", title: "X" }), {
      $current_url: "https://a.example/x",
      $pathname: "/x",
    });
    assert.deepEqual(read({}), {});
    assert.deepEqual(read({ url: "?only=query", path: "#x", referrer: "", title: "" }), { title: "" });
  });

  it("drop an address that is none", () => {
    for (const address of [5, {}, [], true, null])
      assert.deepEqual(read({ url: address, path: address, referrer: address }), {}, String(address));
  });
});
