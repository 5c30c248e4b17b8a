import { Announcer, PaneErrorBoundary, ProblemBanner, Skeleton, TooltipProvider } from "./components";
import { useAnswer, useHost } from "./data";
import { Frame, Stopped, useInteractive } from "./features/frame";
import { Onboarding, ServerSignIn, useOnboarding } from "./features/onboarding";
import { LanguageProvider, languageOf } from "./i18n";
import { useTheme } from "./theme";
import { useZoom } from "./zoom";

/** The whole window. */
export function App() {
  const session = useAnswer({ command: "session" });
  useTheme(session.data?.theme);
  return (
    <LanguageProvider language={languageOf(session.data?.language ?? navigator.language)}>
      <TooltipProvider>
        <Announcer>
          <PaneErrorBoundary>
            <Views />
          </PaneErrorBoundary>
        </Announcer>
      </TooltipProvider>
    </LanguageProvider>
  );
}

/** What there is to show: nothing yet, the first steps, the way out of a stop, or the frame. */
export function Views() {
  const session = useAnswer({ command: "session" });
  const onboarding = useOnboarding(session.data);
  const stopped = session.data?.phase === "stopped";
  useZoom(useHost());
  const signIn = session.data?.phase === "sign_in";
  useInteractive(onboarding.shown || stopped);
  if (session.data === undefined) {
    if (!session.error) return <Quiet />;
    return (
      <main className="mx-auto max-w-120 p-6">
        <ProblemBanner problem={session.error} busy={session.isFetching} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (signIn) return <ServerSignIn />;
  if (onboarding.shown) return <Onboarding onDone={onboarding.done} />;
  return stopped ? <Stopped /> : <Frame />;
}

/** The frame's places, before anything is known. */
function Quiet() {
  return (
    <div className="grid h-full grid-cols-[13.25rem_minmax(0,1fr)]">
      <div className="border-e border-line bg-side p-4">
        <Skeleton className="h-5 w-20" />
      </div>
      <div className="h-14 border-b border-line px-5 py-4">
        <Skeleton className="h-5 w-32" />
      </div>
    </div>
  );
}
