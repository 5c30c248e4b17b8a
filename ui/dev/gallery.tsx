// Shows every scene of every feature in a plain browser: ?scene=NAME&theme=dark&lang=fr. Not part of what is shipped.
import { createRoot, type Root } from "react-dom/client";
import { newCache } from "../src/data";
import type { Theme, Update } from "../src/generated/wire";
import { languageOf } from "../src/i18n";
import { Providers } from "../src/Providers";
import { aSession } from "../src/test/fixtures";
import { speak } from "../src/test/host-words";
import { seed } from "../src/test/seed";
import type { Scene } from "../src/test/scene";
import "../src/styles/app.css";

const found = import.meta.glob<{ scenes: Scene[] }>("../src/features/*/scenes.tsx", { eager: true });
const scenes = Object.values(found).flatMap((file) => file.scenes);

declare global {
  interface Window {
    scenes: string[];
    /** Shows a scene in place of the one before. */
    showScene: (name: string, theme: string, lang: string) => void;
    /** Sends updates to the scene that is shown, as its host would. */
    emitUpdates: (batch: Update[]) => void;
    /** The loops of the scene that is shown, by `owner/repo#n`. */
    loopKeys: () => string[];
  }
}

const node = document.getElementById("root");
if (!node) throw new Error("index.html has no #root");
let root: Root | null = null;

function showScene(scene: Scene, theme: Theme, lang: string): void {
  root?.unmount();
  // What another scene kept is not of this one.
  localStorage.clear();
  root = createRoot(node as HTMLElement);
  document.documentElement.dataset.theme = theme;
  location.hash = scene.route ?? "";
  const language = languageOf(lang);
  const host = scene.host();
  speak(host, language);
  const given = host.answers.session;
  const session = { ...(typeof given === "object" && "phase" in given ? given : aSession()), theme, language };
  host.answers.session = session;
  window.emitUpdates = (batch) => host.emit(batch);
  window.loopKeys = () => (Array.isArray(host.answers.loops) ? host.answers.loops.map(({ key }) => key) : []);
  const cache = newCache();
  seed(cache, host, session);
  root.render(
    <Providers host={host} cache={cache} language={language}>
      {scene.element}
    </Providers>,
  );
}

window.scenes = scenes.map((scene) => scene.name);
window.showScene = (name, theme, lang) => {
  const scene = scenes.find((each) => each.name === name);
  if (!scene) throw new Error(`no scene ${name}`);
  showScene(scene, theme === "dark" ? "dark" : "light", lang);
};

const asked = new URLSearchParams(location.search);
const name = asked.get("scene");
if (name !== null) {
  window.showScene(name, asked.get("theme") ?? "light", asked.get("lang") ?? "en");
} else {
  root = createRoot(node);
  root.render(
    <ul>
      {window.scenes.map((each) => (
        <li key={each}>
          <a href={`?scene=${each}`}>{each}</a>
        </li>
      ))}
    </ul>,
  );
}
