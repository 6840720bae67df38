/** One row of a table: the first column to the left, the others to the right, but for those of width 0, which end it. */
export function tableRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) =>
      column === 0 || widths[column] === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    .join('  ')
    .trimEnd()
}
