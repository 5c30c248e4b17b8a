import { createRoot } from "react-dom/client";
import { App } from "./App";
import { DataProvider, newCache } from "./data";
import { reportErrors, thisHost } from "./platform";
import "./styles/app.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

const host = await thisHost();
reportErrors(host);
createRoot(root).render(
  <DataProvider host={host} cache={newCache()}>
    <App />
  </DataProvider>,
);
