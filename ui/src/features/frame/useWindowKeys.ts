import type { RefObject } from "react";
import { useFreeKeys } from "../../components";
import type { Destination } from "../../routes";

export interface WindowKeys {
  search: RefObject<HTMLInputElement | null>;
  onKeys: () => void;
  onNavigate: (destination: Destination) => void;
  /** Closes what is shown beside the list; null when nothing is. */
  onClose: (() => void) | null;
}

/** The keys of the whole window; a list has its own. */
export function useWindowKeys(keys: WindowKeys): void {
  useFreeKeys((event) => pressed(event.key, keys));
}

/** Does what a key asks for; false when it asks for nothing. */
function pressed(key: string, { search, onKeys, onNavigate, onClose }: WindowKeys): boolean {
  switch (key) {
    case "/":
      search.current?.focus();
      search.current?.select();
      return search.current !== null;
    case "?":
      onKeys();
      return true;
    case "Escape":
      onClose?.();
      return onClose !== null;
    case "0":
      onNavigate({ page: "home" });
      return true;
    case "1":
      onNavigate({ page: "needs-you" });
      return true;
    case "2":
      onNavigate({ page: "ready" });
      return true;
    case "3":
      onNavigate({ page: "working" });
      return true;
    case "4":
      onNavigate({ page: "insights" });
      return true;
    default:
      return false;
  }
}
