import type { ReactNode } from "react";
import { classNames } from "./class-names";
import { TextWithCode } from "./TextWithCode";
import { BACKGROUND, type Tone } from "./tone";

interface BannerProps {
  tone: Tone;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

/** Something to know before going on. Bad news is read out at once. */
export function Banner({ tone, title, children, actions }: BannerProps) {
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={classNames("flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg px-3 py-2 outline -outline-offset-1 outline-transparent", BACKGROUND[tone])}
    >
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium break-words">
          <TextWithCode text={title} />
        </p>
        {children && <div className="text-sm break-words text-dim">{children}</div>}
      </div>
      {actions && <div className="flex gap-2">{actions}</div>}
    </div>
  );
}
