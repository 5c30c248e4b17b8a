import type { ReactElement } from "react";
import type { FakeHost } from "./host";

/** A view with something in it, for looking at: ui/dev/gallery.tsx. */
export interface Scene {
  /** In the address and the picture's name: `issues-empty`. */
  name: string;
  element: ReactElement;
  /** Made anew for each showing. Its `session` answer, when a plain value, holds; language and theme are those asked for. */
  host: () => FakeHost;
  /** The route to start at: `/repo/acme/api?show=acme/api%23480`. */
  route?: string;
}
