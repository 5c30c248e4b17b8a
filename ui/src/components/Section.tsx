import { useId, type ReactNode } from "react";

interface SectionProps {
  title: string;
  /** Beside the title, at the end of the line. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A part of a page, with its name. */
export function Section({ title, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-4">
      <div className="mb-1.5 flex items-baseline gap-3 text-sm">
        <h3 id={id} className="font-semibold text-dim">
          {title}
        </h3>
        {aside !== undefined && <span className="ms-auto text-end text-faint">{aside}</span>}
      </div>
      {children}
    </section>
  );
}
