import { aListing, aPull, fakeHost, type Scene } from "../../test";
import { ScriptedScene } from "../onboarding/ScriptedScene";
import { AutoReviewSheet, LevelMenu } from ".";

const pulls = [
  aPull({ number: 480, title: "Retry webhook delivery with jitter", author: "kim", head_ref: "kim/jitter" }),
  aPull({ number: 468 }),
  aPull({ number: 461, title: "Describe the retry policy", author: "lee", head_ref: "docs/retries", left_out: true }),
];

function host() {
  return fakeHost({ answers: { listing: aListing({ pulls }), repositories: [] } });
}

export const scenes: Scene[] = [
  {
    name: "autonomy-sheet",
    element: (
      <main className="h-full">
        <h1 className="sr-only">Sheet</h1>
        <AutoReviewSheet repo="acme/api" level="observe" onClose={() => undefined} />
      </main>
    ),
    host,
  },
  {
    name: "autonomy-sheet-ask",
    element: (
      <main className="h-full">
        <h1 className="sr-only">Sheet</h1>
        <AutoReviewSheet repo="acme/api" level="ask" onClose={() => undefined} />
      </main>
    ),
    host,
  },
  {
    name: "autonomy-menu",
    element: (
      <main className="flex h-full justify-end p-6">
        <h1 className="sr-only">Menu</h1>
        <ScriptedScene steps={[["button[aria-haspopup=menu]"]]}>
          <LevelMenu repo="acme/api" level="ask" onProblem={() => undefined} />
        </ScriptedScene>
      </main>
    ),
    host,
  },
];
