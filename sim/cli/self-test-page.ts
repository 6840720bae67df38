import { compareText } from '../../src/base/bytes.ts'
import { invariants } from '../checkers/checkers.ts'
import type { BugOutcome } from '../self-test/self-test.ts'
import { codeOf } from './self-test-table.ts'

/** How a self-test was made, for readers of its page. */
export interface SelfTestMade {
  readonly version: string
  /** Maximum number of seeds for each bug. */
  readonly seeds: number
  /** Number of seeds tried with each bug, whether or not one found it; 0: each search ended with its first finding. */
  readonly rate: number
}

/** A page of Markdown about every planted bug: what finds it, at which seed, and how often. */
export function selfTestPage(outcomes: readonly BugOutcome[], { version, seeds, rate }: SelfTestMade): string {
  const ordered = outcomes.toSorted((one, other) => one.bug.row - other.bug.row || byName(one, other))
  const found = ordered.filter(({ passed }) => passed).length
  const rates = rate === 0 ? '' : ` --rate ${rate}`
  const options = `--seeds ${seeds}${rates}`
  const lines = [
    '# What the self-test finds',
    '',
    '`svc-sim self-test` plants one known bug at a time into a copy of this program, and runs a',
    '[hunt](scenarios.md#hunts-and-the-self-test) there, seed after seed, until an invariant or an expectation is broken.',
    'This page lists every planted bug: what found it, at which seed first, and how often.',
    `Of ${ordered.length} bugs ${found} were found by an invariant that their row in \`sim/self-test\` names.`,
    `Release ${version}; made by:`,
    '',
    '```sh',
    `svc-sim self-test ${options} --markdown docs/self-test.md`,
    '```',
    '',
    ...(rate === 0
      ? []
      : [
          `*Rate* is how many of the seeds 1 to ${rate} fail first by an invariant that the row names. A bug that one seed in ten`,
          'finds is missed by 30 seeds once in 24 tries (0.9 to the power of 30), and by 100 seeds hardly ever.',
          '',
        ]),
    '| # | planted bug | what it does | hunt | found by | first seed | rate |',
    '|---|---|---|---|---|---|---|',
    ...ordered.map((outcome) => rowOf(outcome, rate)),
    '',
    ...lawLines(ordered),
  ]
  return lines.join('\n')
}

function rowOf({ bug, search, verdict, rate: found }: BugOutcome, rate: number): string {
  const { finding } = search
  const by = finding === undefined ? 'nothing' : codeOf(finding)
  const name = verdict === 'found' ? by : `**${by}**, not ${bug.foundBy.join(' or ')}`
  const often = found === undefined ? 'not measured' : `${found} of ${rate}`
  const cells = [bug.row, `\`${bug.name}\``, cell(bug.about), bug.hunt, name, finding?.seed ?? '–', often]
  return `| ${cells.join(' | ')} |`
}

/** How many bugs each invariant was the first to find. */
function lawLines(outcomes: readonly BugOutcome[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { search } of outcomes) {
    const code = search.finding === undefined ? undefined : codeOf(search.finding)
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const known = Object.keys(invariants)
  const unused = known.filter((code) => !counts.has(code))
  const by = [...counts].toSorted((one, other) => other[1] - one[1] || compareText(one[0], other[0]))
  const rows = by.map(([code, count]) => `| ${code} | ${count} |`)
  const never = unused.length === 0 ? [] : [`| ${unused.join(', ')} | 0 |`]
  return ['| law | bugs that it was the first to find |', '|---|---|', ...rows, ...never]
}

function byName({ bug: one }: BugOutcome, { bug: other }: BugOutcome): number {
  return compareText(one.name, other.name)
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
