/**
 * One row of a table: the first column is left-aligned, the others right-aligned, except those of width 0, which end
 * it.
 */
export function tableRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) =>
      column === 0 || widths[column] === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    .join('  ')
    .trimEnd()
}
