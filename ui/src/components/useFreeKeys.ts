import { useEffect, useLayoutEffect, useRef } from "react";
import { isKeyTaken } from "./key-taken";

/** Hears keys of the whole window that nothing else takes. `press` answers whether it did something for one, and is always the latest. */
export function useFreeKeys(press: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(press);
  useLayoutEffect(() => {
    latest.current = press;
  });
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (!isKeyTaken(event) && latest.current(event)) event.preventDefault();
    };
    window.addEventListener("keydown", hear);
    return () => window.removeEventListener("keydown", hear);
  }, []);
}
