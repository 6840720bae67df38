/**
 * Columns separated by two spaces, each as wide as its widest cell, the last one unpadded.
 * Reference: command-line.md#fact-5.
 */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')
  return rows.map((row) => `${line(row)}\n`).join('')
}
