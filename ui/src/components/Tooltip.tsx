import * as Radix from "@radix-ui/react-tooltip";
import type { ReactNode } from "react";

interface TooltipProps {
  text: string;
  /** One element that takes a ref and can be focused. */
  children: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
}

/** Around everything that has tooltips. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={500}>{children}</Radix.Provider>;
}

/** Says more about what the pointer or the focus is on. */
export function Tooltip({ text, children, side = "bottom" }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="appear z-50 max-w-72 rounded-md border border-transparent bg-text px-2 py-1 text-sm text-bg shadow-float"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
