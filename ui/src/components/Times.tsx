import { useNow } from "../data";
import { formatFullTime, formatDuration, formatRelativeTime, useLanguage } from "../i18n";

/** `3 minutes ago`; the date is its title. */
export function RelativeTime({ at }: { at: string }) {
  const language = useLanguage();
  const now = useNow(15_000);
  return (
    <time dateTime={at} title={formatFullTime(language, at)}>
      {formatRelativeTime(language, at, now)}
    </time>
  );
}

/** How long something took, or has been going on since. */
export function Elapsed(props: { since: string } | { ms: number }) {
  return "ms" in props ? <ElapsedMs ms={props.ms} /> : <ElapsedSince at={props.since} />;
}

function ElapsedMs({ ms }: { ms: number }) {
  return formatDuration(useLanguage(), ms);
}

function ElapsedSince({ at }: { at: string }) {
  const now = useNow(1000);
  return formatDuration(useLanguage(), now - new Date(at).getTime());
}
