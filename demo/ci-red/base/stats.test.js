import assert from "node:assert/strict";
import { test } from "node:test";
import { mean } from "./stats.js";

test("the mean of some numbers", () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(mean([]), 0);
});
