import { describe, expect, it } from "vitest";
import { aProblem, fakeHost } from "./host";
import { aListing, aPull } from "./fixtures";
import { speak, untold } from "./host-words";
import type { Scene } from "./scene";

const found = import.meta.glob<{ scenes: Scene[] }>("../features/*/scenes.tsx", { eager: true });
const scenes = Object.values(found).flatMap((file) => file.scenes);

describe("what a fake host says", () => {
  it.each(scenes.map((scene) => [scene.name, scene] as const))("is in the language of the gallery: %s", (_, scene) => {
    expect(untold(scene.host())).toEqual([]);
  });

  it("is in the reader's language, problems and lists among it", () => {
    const host = fakeHost({
      answers: {
        activities: [{ key: "acme/api#1", workers: [{ name: "quinn", runs_on: "codex", since: "", text: "Reading a prompt of 11,240 tokens", spent: null, recent: [] }] }],
        doctor: [{ code: "model", title: "Language model", status: "ok", text: "" }],
        // What a person wrote stays.
        listing: aListing({ pulls: [aPull({ title: "Language model" })] }),
        loops: () => aProblem("unreachable", "GitHub does not answer.", ["Try again once the network is back."]),
      },
    });
    speak(host, "fr");
    expect(host.answers.doctor).toMatchObject([{ title: "Modèle de langage" }]);
    expect(JSON.stringify(host.answers.listing)).toContain("Language model");
    const { activities, loops } = host.answers;
    expect(Array.isArray(activities) && activities[0]?.workers[0]?.text).toMatch(/^Lit? /);
    const problem = typeof loops === "function" ? loops(undefined) : loops;
    expect(problem).toBeInstanceOf(Error);
    expect(problem).toMatchObject({ code: "unreachable" });
    expect((problem as Error).message).not.toMatch(/GitHub does not answer/);
  });
});
