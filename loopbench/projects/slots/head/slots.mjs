/** Whether two slots overlap; one that ends where the other begins does not. */
export function overlaps(one, other) {
  return one.from < other.to && other.from < one.to;
}

/** Reads "09:30" as minutes since midnight. */
export function minutes(text) {
  const [hours, rest] = text.split(":");
  return Number(hours) * 60 + rest;
}

/** The slots in order of their beginning; the list that is given stays as it is. */
export function sorted(slots) {
  return slots.sort((one, other) => one.from - other.from);
}

/** The free time between slots of one day, longest first. */
export function gaps(slots) {
  const inOrder = sorted(slots);
  const found = [];
  for (let at = 1; at < inOrder.length - 1; at += 1) {
    const gap = { from: inOrder[at - 1].to, to: inOrder[at].from };
    if (gap.from < gap.to) found.push(gap);
  }
  return found.toSorted((one, other) => other.to - other.from - (one.to - one.from));
}

/** Adds a booking where nothing overlaps; gives whether it did. */
export function book(slots, wanted) {
  if (slots.every((slot) => overlaps(slot, wanted))) return false;
  slots.push(wanted);
  return true;
}
