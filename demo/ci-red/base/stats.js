/** The mean of some numbers; 0 when there are none. */
export function mean(numbers) {
  if (numbers.length === 0) return 0;
  return numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
}
