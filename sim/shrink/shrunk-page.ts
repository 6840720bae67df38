import { pageText } from '../scenario/language/page-text.ts'
import type { Keyed } from './page.ts'
import { sizeOf, sizeText } from './parts.ts'
import type { Shrunk } from './shrink.ts'

/** Where a shrunk page comes from. */
export interface Origin {
  readonly file: string
  readonly seed: number
  /** The command by which it was made. */
  readonly command: string
  /** Of the program that fails; a planted bug is named here. */
  readonly program: string
  readonly runs: number
  readonly cpuMs: number
}

/** Lines of what has gone, at most; the rest is counted. */
const droppedMax = 30

/** The page with its seed, and what a reader should know of it. */
export function shrunkText({ before, failing, dropped }: Shrunk, origin: Origin): string {
  const { page, seed, wrong } = failing
  const { scenario, ...rest } = page
  const seconds = (origin.cpuMs / 1000).toFixed(0)
  const more = dropped.length - droppedMax
  const lines = [
    `${wrong.text} (at ${(wrong.atUs / 1_000_000).toFixed(3)} virtual s)`,
    '',
    `Shrunk from seed ${origin.seed} of ${origin.file}, in ${origin.runs} runs (${seconds} s of CPU time),`,
    `by ${origin.program}: ${origin.command}`,
    `before: ${sizeText(before)}`,
    `after:  ${sizeText(sizeOf(failing))}`,
    ...(dropped.length === 0 ? [] : ['What has gone, in this order:']),
    ...dropped.slice(0, droppedMax).map((what) => `- ${what}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ]
  const comment = lines.map((line) => `# ${line.replaceAll(/\s+/g, ' ')}`.trimEnd()).join('\n')
  const whole: Keyed = { scenario: titleOf(String(scenario ?? '')), seed, ...rest }
  return `${comment}\n${pageText(whole)}`
}

/** A page is shrunk further under the same title. */
function titleOf(title: string): string {
  return title.endsWith(', shrunk') ? title : `${title}, shrunk`
}
