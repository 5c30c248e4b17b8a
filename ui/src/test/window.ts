let width = 1280;

/** How wide the window is for media queries. */
export const currentWidth = (): number => width;

/** Sets how wide the window is; it is 1280 again for the next test. */
export function windowWidth(px: number): void {
  width = px;
}
