import * as Radix from "@radix-ui/react-dropdown-menu";
import { useRef, type ReactNode } from "react";

interface MenuItem {
  label: string;
  onSelect: () => void;
}

interface MenuProps {
  /** The button that opens it; takes a ref. */
  children: ReactNode;
  /** Groups, a line between them. */
  groups: MenuItem[][];
  side?: "top" | "bottom";
  align?: "start" | "end";
}

/** Things that can be done, behind a button. */
export function Menu({ children, groups, side = "bottom", align = "end" }: MenuProps) {
  // Done once the menu has closed and its button has the focus: a dialog that opens then gives it back there.
  const chosen = useRef<(() => void) | null>(null);
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={() => {
            if (chosen.current) queueMicrotask(chosen.current);
            chosen.current = null;
          }}
          className="appear z-50 min-w-40 rounded-lg border border-transparent bg-panel p-1 shadow-float outline-none"
        >
          {groups
            .filter((items) => items.length > 0)
            .map((items, index) => (
              <Radix.Group key={items[0]?.label}>
                {index > 0 && <Radix.Separator className="mx-1 my-1 h-px bg-line" />}
                {items.map((item) => (
                  <Radix.Item
                    key={item.label}
                    onSelect={() => {
                      chosen.current = item.onSelect;
                    }}
                    className="flex h-7 items-center rounded-md px-2 outline-none data-highlighted:bg-hover"
                  >
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
