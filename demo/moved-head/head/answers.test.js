import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "./answers.js";

test("an answer is looked up once", async () => {
  let asked = 0;
  const lookUp = async () => {
    asked += 1;
    return "because";
  };
  assert.equal(await answer("why", lookUp), "because");
  assert.equal(await answer("why", lookUp), "because");
  assert.equal(asked, 1);
});
