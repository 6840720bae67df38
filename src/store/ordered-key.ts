/** A key whose order is that of the number: for indexes, which count up to 2^53. */
export function orderedKey(value: number): string {
  return String(value).padStart(16, '0')
}
