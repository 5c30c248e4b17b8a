import * as Radix from "@radix-ui/react-dropdown-menu";
import { Check } from "lucide-react";
import type { ReactNode } from "react";

interface ChoiceMenuProps {
  /** The button that opens it; takes a ref. */
  children: ReactNode;
  options: { value: string; label: string; text?: string }[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

/** Any of some things to choose, behind a button; it stays open until one is done with it. */
export function ChoiceMenu({ children, options, chosen, onChange }: ChoiceMenuProps) {
  // In the order offered, however they were chosen.
  const put = (value: string, on: boolean) =>
    onChange(options.flatMap((option) => ((option.value === value ? on : chosen.includes(option.value)) ? option.value : [])));
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align="end" sideOffset={4} collisionPadding={8} className="appear z-50 max-w-80 min-w-40 rounded-lg border border-transparent bg-panel p-1 shadow-float outline-none">
          {options.map(({ value, label, text }) => (
            <Radix.CheckboxItem
              key={value}
              checked={chosen.includes(value)}
              onCheckedChange={(on) => put(value, on)}
              onSelect={(event) => event.preventDefault()}
              className="group flex h-7 items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-hover"
            >
              <span className="grid size-4 shrink-0 place-items-center rounded border border-control bg-panel group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent">
                <Radix.ItemIndicator>
                  <Check aria-hidden className="size-3 text-on-accent" strokeWidth={3} />
                </Radix.ItemIndicator>
              </span>
              <span className="truncate">
                {label} {text && <span className="ms-1 text-sm text-faint">{text}</span>}
              </span>
            </Radix.CheckboxItem>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
