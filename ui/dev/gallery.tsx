// Shows every scene of every feature in a plain browser: ?scene=NAME&theme=dark&lang=fr. Not part of what is shipped.
import { createRoot } from "react-dom/client";
import { newCache } from "../src/data";
import { languageOf } from "../src/i18n";
import { Providers } from "../src/Providers";
import { aSession } from "../src/test/fixtures";
import { seed } from "../src/test/seed";
import type { Scene } from "../src/test/scene";
import "../src/styles/app.css";

const found = import.meta.glob<{ scenes: Scene[] }>("../src/features/*/scenes.tsx", { eager: true });
const scenes = Object.values(found).flatMap((file) => file.scenes);

declare global {
  interface Window {
    scenes: string[];
  }
}
window.scenes = scenes.map((scene) => scene.name);

const asked = new URLSearchParams(location.search);
const theme = asked.get("theme") ?? "light";
const language = languageOf(asked.get("lang") ?? "en");
document.documentElement.dataset.theme = theme;

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
const scene = scenes.find((each) => each.name === asked.get("scene"));
if (scene) {
  if (scene.route) location.hash = scene.route;
  const host = scene.host();
  const given = host.answers.session;
  const session = { ...(typeof given === "object" && "phase" in given ? given : aSession()), theme, language };
  host.answers.session = session;
  const cache = newCache();
  seed(cache, host, session);
  createRoot(root).render(
    <Providers host={host} cache={cache} language={language}>
      {scene.element}
    </Providers>,
  );
} else {
  createRoot(root).render(
    <ul>
      {scenes.map(({ name }) => (
        <li key={name}>
          <a href={`?scene=${name}`}>{name}</a>
        </li>
      ))}
    </ul>,
  );
}
