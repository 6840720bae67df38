/**
 * One row of a table. The first column is left-aligned and the others are right-aligned, except columns of width 0,
 * which end the row.
 */
export function tableRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) =>
      column === 0 || widths[column] === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    .join('  ')
    .trimEnd()
}
