import { pageText } from '../scenario/language/page-text.ts'
import type { Keyed } from './page.ts'
import { sizeOf, sizeText } from './parts.ts'
import type { Shrunk } from './shrink.ts'

/** The origin of a shrunk page. */
export interface Origin {
  readonly file: string
  readonly seed: number
  /** The command that made it. */
  readonly command: string
  /** The failing program; a planted bug is named here. */
  readonly program: string
  readonly runs: number
  readonly cpuMs: number
}

/** Maximum number of lines about removed parts; the others are counted. */
const droppedMax = 30

/** The page with its seed, and with remarks for a reader. */
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

/** A page that is shrunk again keeps its title. */
function titleOf(title: string): string {
  return title.endsWith(', shrunk') ? title : `${title}, shrunk`
}
