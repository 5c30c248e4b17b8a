import assert from "node:assert/strict";
import { test } from "node:test";
import { mean, median } from "./stats.js";

test("the mean of some numbers", () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(mean([]), 0);
});

test("the median of an odd number of numbers", () => {
  assert.equal(median([3, 1, 2]), 2);
});

test("the median of response times", () => {
  assert.equal(median([9, 80, 100, 120, 1000]), 100);
});
