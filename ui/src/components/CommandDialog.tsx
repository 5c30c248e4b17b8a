import * as Radix from "@radix-ui/react-dialog";
import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { classNames } from "./class-names";
import { KeyboardKeys } from "./KeyboardKeys";
import { TextWithCode } from "./TextWithCode";

/** Something to do or a place to go to. */
export interface CommandEntry {
  id: string;
  label: string;
  /** What tells it from others of that name. */
  hint?: string;
  /** The shortcut that does the same. */
  keys?: string[];
  run: () => void;
}

export interface CommandGroup {
  name: string;
  entries: CommandEntry[];
}

interface CommandDialogProps {
  label: string;
  placeholder: string;
  open: boolean;
  onClose: () => void;
  query: string;
  onQuery: (query: string) => void;
  groups: CommandGroup[];
  /** In place of the groups when there are none. */
  none: string;
}

/** A line to type into, with a list of what fits below: a combobox with a listbox, as the ARIA practices describe it. */
export function CommandDialog({ label, placeholder, open, onClose, query, onQuery, groups, none }: CommandDialogProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const entries = groups.flatMap((group) => group.entries);
  const index = Math.max(0, entries.findIndex((entry) => entry.id === chosen));
  const active = entries[index];
  const optionId = (entry: CommandEntry) => `${id}-${entry.id}`;
  useEffect(() => setChosen(null), [query, open]);
  const activeId = active?.id;
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  // Closed first: what is done may open a dialog of its own, and gets the focus then.
  const run = (entry: CommandEntry) => {
    onClose();
    queueMicrotask(() => setTimeout(entry.run));
  };
  const press = (event: KeyboardEvent) => {
    const to = nextIndex(event.key, index, entries.length);
    if (to !== null) setChosen(entries[to]?.id ?? null);
    else if (event.key === "Enter" && active && !event.nativeEvent.isComposing) run(active);
    else return;
    event.preventDefault();
  };
  return (
    <Radix.Root open={open} onOpenChange={(now) => !now && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="appear fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
          }}
          className="appear fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[calc(100vw-2rem)] max-w-150 -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-transparent bg-panel shadow-float outline-none"
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          <div className="flex items-center gap-2 border-b border-line px-4">
            <Search aria-hidden className="size-4 shrink-0 text-faint" />
            <input
              role="combobox"
              aria-label={label}
              aria-expanded
              aria-controls={id}
              aria-autocomplete="list"
              aria-activedescendant={active ? optionId(active) : undefined}
              value={query}
              onChange={(event) => onQuery(event.target.value)}
              onKeyDown={press}
              placeholder={placeholder}
              spellCheck={false}
              autoComplete="off"
              className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
            />
          </div>
          <div ref={list} id={id} role="listbox" aria-label={label} className="min-h-0 overflow-y-auto p-1.5">
            {groups.map((group) => (
              <div key={group.name} role="group" aria-label={group.name}>
                <div aria-hidden className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
                  {group.name}
                </div>
                {group.entries.map((entry) => (
                  <div
                    key={entry.id}
                    id={optionId(entry)}
                    role="option"
                    aria-selected={entry === active}
                    onPointerMove={() => entry !== active && setChosen(entry.id)}
                    onClick={() => run(entry)}
                    className={classNames("flex min-h-8 items-center gap-3 rounded-md px-2.5 py-1", entry === active && "bg-hover outline outline-control")}
                  >
                    <span className="min-w-0 flex-1 truncate">
                      <TextWithCode text={entry.label} />
                    </span>
                    {entry.hint && (
                      <span className="max-w-72 shrink-0 truncate text-sm text-dim">
                        <TextWithCode text={entry.hint} />
                      </span>
                    )}
                    {entry.keys && <KeyboardKeys keys={entry.keys} />}
                  </div>
                ))}
              </div>
            ))}
            {entries.length === 0 && <p className="px-2.5 py-6 text-center text-dim">{none}</p>}
          </div>
          <p role="status" className="sr-only">
            {entries.length === 0 ? none : ""}
          </p>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function nextIndex(key: string, index: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case "ArrowDown":
      return (index + 1) % count;
    case "ArrowUp":
      return (index + count - 1) % count;
    case "PageDown":
      return Math.min(count - 1, index + 8);
    case "PageUp":
      return Math.max(0, index - 8);
    default:
      return null;
  }
}
