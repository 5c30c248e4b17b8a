import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "./answers.js";

test("an answer is looked up", async () => {
  assert.equal(await answer("why", async () => "because"), "because");
});
