import { classNames } from "./class-names";

/** Stands where something will be; give it the size of that. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames("wait block rounded bg-chip", className ?? "h-4 w-full")} />;
}
