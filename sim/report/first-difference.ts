import { differingLines, type TraceDigest } from './hashed-lines.ts'
import type { RunResult } from './run-report.ts'
import type { TraceOptions } from './trace.ts'

/**
 * Where two runs of one seed diverged: the first block of lines whose hash differs is found from the digests; then the
 * seed is run twice more, to compare that block line by line.
 */
export async function firstDifference(
  a: TraceDigest,
  b: TraceDigest,
  rerun: (options: TraceOptions) => Promise<RunResult>,
): Promise<readonly string[]> {
  const window = differingLines(a, b)
  if (window === undefined) return ['the traces are equal']
  const record = async (): Promise<readonly string[]> => {
    const lines: string[] = []
    await rerun({ window, onLine: (line) => void lines.push(line) })
    return lines
  }
  const [one, two] = [await record(), await record()]
  const at = one.findIndex((line, index) => line !== two[index])
  const head = `the traces differ from a line between ${window.from + 1} and ${window.to} on`
  if (at < 0 && one.length === two.length) return [`${head}; two more runs agreed there`]
  const line = at < 0 ? Math.min(one.length, two.length) : at
  return [
    `the traces differ from line ${window.from + line + 1} on:`,
    `  one run:     ${one[line] ?? '(ended)'}`,
    `  another run: ${two[line] ?? '(ended)'}`,
  ]
}
