/** The mean of some numbers; 0 when there are none. */
export function mean(numbers) {
  if (numbers.length === 0) return 0;
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
}

/** The median of some numbers; 0 when there are none. */
export function median(numbers) {
  if (numbers.length === 0) return 0;
  const sorted = [...numbers].sort();
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
