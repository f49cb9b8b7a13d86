import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { dataPathsOf, fillReceiptText, parseReceiptText } from "../receipt-text.pure.ts";
import { withSamples } from "./samples.pure.ts";

function pathsIn(text: string): readonly string[] {
  const parsed = parseReceiptText(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return dataPathsOf(parsed);
}

describe("samples of data", () => {
  it("have a word at each path that a text names", () => {
    const text =
      "{{ data.order.total }} {% for item in data.items %}{{ item.price }} {{ item['a b'] }}{% endfor %}";
    assert.deepEqual(withSamples(pathsIn(text)), {
      order: { total: "total" },
      items: [{ price: "price", "a b": "a b" }],
    });
  });

  it("leave what is given as it is, and add what it lacks", () => {
    const paths = ["data.order.total", "data.order.id", "data.items[].price", "data.paid"];
    const given = { order: { id: 7 }, items: [{ price: 1 }, {}], paid: false, other: "x" };
    assert.deepEqual(withSamples(paths, given), {
      order: { id: 7, total: "total" },
      items: [{ price: 1 }, { price: "price" }],
      paid: false,
      other: "x",
    });
    assert.deepEqual(withSamples(["data.items[].price"], { items: [] }), { items: [] });
    assert.deepEqual(withSamples(["data.order.total"], { order: "text" }), { order: "text" });
  });

  it("stand in the order in which the text names them", () => {
    const text = "{{ data.number }} {{ data.order.total }} {% for a in data.list %}{{ a.b.c }}{% endfor %}";
    assert.deepEqual(Object.keys(withSamples(pathsIn(text), { last: 1 })), [
      "last",
      "number",
      "order",
      "list",
    ]);
  });

  it("are lists where a text loops, whatever else names the list", () => {
    assert.deepEqual(
      withSamples(
        pathsIn("{% for a in data.list %}{{ a }}{% endfor %}{{ data.list[1] }}{{ data.list.size }}"),
      ),
      {
        list: ["list", "list"],
      },
    );
  });

  it("fill every text that names them", () => {
    const output = fc
      .constantFrom("a", "b.c", "b.d.e", "list[0]", "f['g h']")
      .map((path) => `{{ data.${path} }}`);
    const loop = fc
      .constantFrom("{{ x.y }}", "{{ x.z.w }}")
      .map((inside) => `{% for x in data.loops %}${inside}{% endfor %}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(output, loop), { minLength: 1, maxLength: 8 }), (pieces) => {
        const parsed = parseReceiptText(pieces.join(" "));
        if ("fault" in parsed) throw new Error(parsed.fault);
        const data = withSamples(dataPathsOf(parsed));
        const filled = fillReceiptText(parsed, { data, user: { id: "ada", traits: {} } });
        assert.ok("parts" in filled, JSON.stringify({ filled, data }));
      }),
    );
  });
});
