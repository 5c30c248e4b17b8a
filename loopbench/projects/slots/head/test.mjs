import assert from "node:assert/strict";
import { book, gaps, minutes, overlaps } from "./slots.mjs";

assert.equal(overlaps({ from: 0, to: 30 }, { from: 30, to: 60 }), false, "neighbours do not overlap");
assert.equal(overlaps({ from: 0, to: 31 }, { from: 30, to: 60 }), true, "a minute is enough");
assert.equal(minutes("09:30"), 570, "half past nine is the 570th minute");
assert.equal(book([{ from: 0, to: 30 }], { from: 10, to: 20 }), false, "a room is booked once");
assert.deepEqual(gaps([]), [], "no slots have no gaps");
