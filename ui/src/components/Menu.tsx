import * as Radix from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

export interface MenuItem {
  label: string;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
  icon?: ReactNode;
}

export interface MenuProps {
  /** The button that opens it; takes a ref. */
  children: ReactNode;
  /** Groups, a line between them. */
  groups: MenuItem[][];
  side?: "top" | "bottom";
  align?: "start" | "end";
}

/** Things that can be done, behind a button. */
export function Menu({ children, groups, side = "bottom", align = "end" }: MenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 min-w-40 rounded-lg bg-panel p-1 shadow-float outline-none"
        >
          {groups
            .filter((items) => items.length > 0)
            .map((items, index) => (
              <Radix.Group key={items[0]?.label}>
                {index > 0 && <Radix.Separator className="mx-1 my-1 h-px bg-line" />}
                {items.map((item) => (
                  <Radix.Item
                    key={item.label}
                    disabled={item.disabled}
                    onSelect={item.onSelect}
                    className={classNames(
                      "flex h-7 items-center gap-2 rounded-md px-2 outline-none data-disabled:opacity-60 data-highlighted:bg-hover",
                      item.danger && "text-bad",
                    )}
                  >
                    {item.icon}
                    {item.label}
                  </Radix.Item>
                ))}
              </Radix.Group>
            ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
