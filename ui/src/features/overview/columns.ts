/**
 * The columns of a line, the first to go last: select, standing, title, place, age, state, progress, round, cost.
 *
 * As the list gets narrower it loses the cost, then the round, the progress, the words of the state, and the age. The sign of the state, the title
 * and `owner/repo#n` always stay, the latter as wide as the longest one is (`--place`).
 */
const COLUMNS = [
  "grid items-center gap-x-2 px-2",
  "grid-cols-[1rem_1rem_8.25rem_minmax(0,1fr)_minmax(0,min(10.5rem,var(--place)))_5.5rem_3.5rem_5.75rem_3.25rem]",
  "@min-[75rem]:grid-cols-[1rem_1rem_8.25rem_minmax(0,1fr)_minmax(0,min(18rem,var(--place)))_5.5rem_3.5rem_5.75rem_3.25rem]",
  "@max-[60rem]:grid-cols-[1rem_1rem_8.25rem_minmax(0,1fr)_minmax(0,min(10.5rem,var(--place)))_5.5rem_3.5rem_3.25rem]",
  "@max-[54rem]:grid-cols-[1rem_1rem_8.25rem_minmax(0,1fr)_minmax(0,min(10rem,var(--place)))_5.5rem_3.5rem]",
  "@max-[49rem]:grid-cols-[1rem_1rem_8.25rem_minmax(0,1fr)_minmax(0,min(9.5rem,var(--place)))_3.5rem]",
  "@max-[44rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(9.5rem,var(--place)))_3.5rem]",
  "@max-[26rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(8.5rem,var(--place)))]",
].join(" ");

/** The same where the heading of a group says the state: its room is that of the reason. */
const COLUMNS_BY_STATE = [
  "grid items-center gap-x-2 px-2",
  "grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(10.5rem,var(--place)))_5.5rem_3.5rem_5.75rem_3.25rem]",
  "@min-[75rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(18rem,var(--place)))_5.5rem_3.5rem_5.75rem_3.25rem]",
  "@max-[60rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(10.5rem,var(--place)))_5.5rem_3.5rem_3.25rem]",
  "@max-[54rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(10rem,var(--place)))_5.5rem_3.5rem]",
  "@max-[49rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(9.5rem,var(--place)))_3.5rem]",
  "@max-[26rem]:grid-cols-[1rem_1rem_minmax(0,1fr)_minmax(0,min(8.5rem,var(--place)))]",
].join(" ");

/** The classes of a line's columns. */
export const columnsOf = (byState: boolean): string => (byState ? COLUMNS_BY_STATE : COLUMNS);

/** When each column goes. */
export const GOES = {
  cost: "@max-[60rem]:hidden",
  round: "@max-[54rem]:hidden",
  progress: "@max-[49rem]:hidden",
  state: "@max-[44rem]:hidden",
  age: "@max-[26rem]:hidden",
} as const;
