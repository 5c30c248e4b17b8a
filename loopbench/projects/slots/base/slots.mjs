/** Whether two slots overlap; one that ends where the other begins does not. */
export function overlaps(one, other) {
  return one.from < other.to && other.from < one.to;
}
