import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { keepsNumber, lostNumbers, readsBack } from "./exact-json.ts";

const KEPT = [
  "0",
  "-0",
  "0e5",
  "0e999",
  "1",
  "-1",
  "1.0",
  "1e3",
  "1E+3",
  "0.10",
  "100e-2",
  "0.1",
  "1e20",
  "6.02214076e23",
  "9007199254740991",
  "-9007199254740991",
  "9007199254740991.0",
  "900719925474099.1e1",
  "1e300",
  "1e-300",
  // Powers of ten up to 10^22 are doubles, and no one's id.
  "1000000000000000000",
  "100000000000000000000",
  // A double, written with 17 digits as C and older PHP do, or whole as BigDecimal does.
  "0.30000000000000004",
  "0.10000000000000001",
  "0.1000000000000000055511151231257827",
  "2251799813685249.5",
  "1.7976931348623157e308",
  "5e-324",
  "4.9406564584124654e-324",
  "2.2250738585072014e-308",
  "605804954441840.25",
  "1623295110180328.2",
  "1623295110180328.3",
];
const LOST = [
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9007199254740993.0",
  "9.007199254740993e15",
  "1161888007138312192",
  "1161888007138312200",
  "18446744073709551615",
  "340282366920938463463374607431768211455",
  "1e400",
  "-1e400",
  "1.8e308",
  "1e99999999999999999999",
  "1e-400",
  "-1e-400",
  "1e-324",
  "0.12345678901234567890",
  "0.3333333333333333333333",
  "123456789.123456789",
  "9007199254740993.5",
  "4503599627370497.5",
  `0.${"1".repeat(200)}`,
];

describe("keepsNumber", () => {
  for (const source of KEPT) it(`${source} is kept`, () => assert.ok(keepsNumber(source)));
  for (const source of LOST) it(`${source.slice(0, 50)} is lost`, () => assert.ok(!keepsNumber(source)));

  /** Every double, not only those that people think of. */
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });

  it("keeps every double that JavaScript writes, unless it is a long whole number below 10^21", () => {
    fc.assert(
      fc.property(double, (value) => {
        const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
        fc.pre(!isLong);
        assert.ok(keepsNumber(String(value)));
        assert.ok(keepsNumber(value.toPrecision(17)));
      }),
    );
  });

  it("keeps every number of 15 digits, whatever its power of ten", () => {
    const digits = fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n });
    fc.assert(
      fc.property(digits, fc.integer({ min: -290, max: 290 }), (number, power) => {
        assert.ok(keepsNumber(`${number}e${power}`));
      }),
    );
  });

  it("keeps no two whole numbers that are one double", () => {
    const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n });
    fc.assert(
      fc.property(big, fc.bigInt({ min: 1n, max: 4_096n }), (number, more) => {
        const other = number + more;
        fc.pre(Number(number) === Number(other));
        assert.ok(!(keepsNumber(String(number)) && keepsNumber(String(other))));
      }),
    );
  });
});

it("a number of ten million digits is lost, and costs nothing", () => {
  const long = `1${"0".repeat(10_000_000)}1`;
  assert.ok(!keepsNumber(long) && !readsBack(long));
  assert.deepEqual([...lostNumbers(`{"text":"a,${long}","a":[${long}]}`)], [["a", 0]]);
});

describe("readsBack", () => {
  it("is about the number, not its spelling, and knows no ids", () => {
    for (const same of ["1.0", "1e3", "1161888007138312200", "1000000000000000000000.0"])
      assert.ok(readsBack(same));
    for (const other of ["1161888007138312192", "9007199254740993", "0.10000000000000001", "1e400"])
      assert.ok(!readsBack(other));
  });
});

describe("lostNumbers", () => {
  it("names where they stand, and only those", () => {
    const json = String.raw`{"a":[1,{"b\"c":1e400,"d":[[],9007199254740993]}],"text":"x,1e400,\\","e":{"f":0.1},"1e400":2}`;
    assert.deepEqual(
      [...lostNumbers(json)],
      [
        ["a", 1, 'b"c'],
        ["a", 1, "d", 1],
      ],
    );
    assert.deepEqual([...lostNumbers(" 1e400 ")], [[]]);
  });

  it("finds a number of twenty million digits, and one behind as many blanks", () => {
    const [digits, blanks] = ["9".repeat(20_000_000), " ".repeat(20_000_000)];
    assert.deepEqual([...lostNumbers(`{"a":${digits}}`)], [["a"]]);
    assert.deepEqual([...lostNumbers(`{"a":${blanks}9007199254740993}`)], [["a"]]);
    assert.deepEqual([...lostNumbers(`{"a":${blanks}9007199254740991}`)], []);
  });

  it("finds one number wherever it stands among others", () => {
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.constantFrom(",1e400,", ":9007199254740993", null, true),
        fc.integer(),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    const MARK = "the number";
    fc.assert(
      fc.property(tree, tree, fc.string(), fc.constantFrom(...LOST), (before, after, key, source) => {
        fc.pre(key !== "__proto__");
        const json = JSON.stringify([before, { [key]: [after, MARK] }, before]);
        assert.deepEqual([...lostNumbers(json)], []);
        const steps = [1, key, 1];
        assert.deepEqual([...lostNumbers(json.replace(`"${MARK}"]},`, `${source}]},`))], [steps]);
      }),
    );
  });
});
