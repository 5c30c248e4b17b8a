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

test("old answers make room for new ones", async () => {
  let asked = 0;
  const lookUp = async () => (asked += 1);
  for (let n = 0; n <= 100; n += 1) await answer(n, lookUp);
  await answer(0, lookUp);
  assert.equal(asked, 102);
});
