import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Announcer, TooltipProvider } from "./components";
import { DataProvider } from "./data";
import { LanguageProvider, type Language } from "./i18n";
import type { Host } from "./platform";

/** What every view needs around it. */
export function Providers({ host, cache, language, children }: { host: Host; cache: QueryClient; language: Language; children: ReactNode }) {
  return (
    <DataProvider host={host} cache={cache}>
      <LanguageProvider language={language}>
        <TooltipProvider>
          <Announcer>{children}</Announcer>
        </TooltipProvider>
      </LanguageProvider>
    </DataProvider>
  );
}
