import { render, type RenderResult } from "@testing-library/react";
import type { QueryClient } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { newCache } from "../data";
import type { SessionView } from "../generated/wire";
import { languageOf } from "../i18n";
import { Providers } from "../Providers";
import { aSession } from "./fixtures";
import { fakeHost, type FakeHost } from "./host";
import { seed } from "./seed";

export interface RenderUI extends RenderResult {
  host: FakeHost;
  cache: QueryClient;
}

/**
 * Renders with everything around it that the app has. The session is known at once; so are loops, who is at work and repositories
 * that the fake host answers with a plain value.
 */
export function renderUI(
  element: ReactElement,
  options: { host?: FakeHost; language?: "en" | "fr"; session?: Partial<SessionView> } = {},
): RenderUI {
  const { language = "en" } = options;
  const host = options.host ?? fakeHost();
  const session = aSession({ language, ...options.session });
  if (options.session || typeof host.answers.session === "function") host.answers.session = session;
  const cache = newCache();
  seed(cache, host, session);
  const around = ({ children }: { children: ReactNode }) => (
    <Providers host={host} cache={cache} language={languageOf(language)}>
      {children}
    </Providers>
  );
  const result: RenderResult = render(element, { wrapper: around });
  return Object.assign(result, { host, cache });
}
