import type { ComponentType, ReactNode } from "react";

interface Props {
  as?: ComponentType<Record<string, unknown>>;
  allowPinchZoom?: boolean;
  shards?: unknown;
  children?: ReactNode;
}

/** Stands in for the package `react-remove-scroll` below dialogs and menus (see vite.config.mts): it locks nothing. */
export function RemoveScroll({ as: As, allowPinchZoom: _allowPinchZoom, shards: _shards, children, ...rest }: Props) {
  return As ? <As {...rest}>{children}</As> : children;
}
