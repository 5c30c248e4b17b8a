import * as Radix from "@radix-ui/react-tabs";
import type { ReactNode } from "react";

interface TabsProps<V extends string> {
  /** What the row of tabs is about; read out. */
  label: string;
  value: V;
  onChange: (value: V) => void;
  tabs: readonly { value: V; label: string; content: ReactNode }[];
}

/** Pages of one thing, one shown at a time. */
export function Tabs<V extends string>({ label, value, onChange, tabs }: TabsProps<V>) {
  return (
    <Radix.Root value={value} onValueChange={(now) => onChange(now as V)} className="flex min-h-0 flex-col">
      <Radix.List aria-label={label} className="flex gap-4 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent pb-1.5 text-dim data-[state=active]:border-text data-[state=active]:font-medium data-[state=active]:text-text"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="min-h-0 pt-3">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
