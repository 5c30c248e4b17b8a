import { Announcer, ProblemBanner, Skeleton, TooltipProvider } from "./components";
import { useAnswer } from "./data";
import { LanguageProvider, languageOf } from "./i18n";
import { useTheme } from "./theme";

/** The whole window. */
export function App() {
  const session = useAnswer({ command: "session" });
  useTheme(session.data?.theme ?? "system");
  return (
    <LanguageProvider language={languageOf(session.data?.language ?? navigator.language)}>
      <TooltipProvider>
        <Announcer>
          {session.data ? null : session.error ? (
            <ProblemBanner problem={session.error} onRetry={() => void session.refetch()} />
          ) : (
            <Skeleton className="m-4 h-6 w-40" />
          )}
        </Announcer>
      </TooltipProvider>
    </LanguageProvider>
  );
}
