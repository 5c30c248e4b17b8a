import assert from "node:assert/strict";
import { overlaps } from "./slots.mjs";

assert.equal(overlaps({ from: 0, to: 30 }, { from: 30, to: 60 }), false, "neighbours do not overlap");
assert.equal(overlaps({ from: 0, to: 31 }, { from: 30, to: 60 }), true, "a minute is enough");
