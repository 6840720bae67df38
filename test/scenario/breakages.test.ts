import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areaOf, isAskedFor } from '../tools/breakages/breakage.ts'
import { breakages, sample } from '../tools/breakages/breakages.ts'
import { BrokenCopy } from '../tools/breakages/broken-copy.ts'
import { judged, type Verdict } from '../tools/breakages/judge.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** Areas and IDs to try, such as `ACL,CFG-016`. */
const asked = process.env['SVC_TEST_BREAKAGES']
const chosen = breakages.filter((breakage) =>
  asked === undefined ? isLong || sample.includes(breakage.id) : isAskedFor(breakage, asked),
)

describe('a breakage of a statement makes a test fail that claims the statement', () => {
  let copy: BrokenCopy
  const verdicts = new Map<string, Verdict>()
  beforeAll(() => {
    copy = new BrokenCopy()
  })
  afterAll(() => {
    copy.remove()
    if (asked !== undefined) process.stdout.write(each(verdicts))
    process.stdout.write(summary(verdicts))
  })

  it.each(chosen)('of $id in $file', { timeout: 600_000 }, async (breakage) => {
    const verdict = await judged(copy, breakage)
    verdicts.set(breakage.id, verdict)
    expect(verdict).toMatchObject({ kind: 'found' })
  })
})

/**
 * A line for each breakage: by which test it was found, and what that said, for on a busy machine a test may fail of
 * itself.
 */
function each(verdicts: ReadonlyMap<string, Verdict>): string {
  const lines = [...verdicts].map(([id, verdict]) => {
    if (verdict.kind === 'found') return `${id} found by: ${verdict.by}: ${verdict.because}\n`
    return verdict.kind === 'undecided' ? `${id} undecided: ${verdict.output}\n` : `${id} ${verdict.kind}\n`
  })
  return lines.join('')
}

/** A line for each area: how many of its breakages a test has found. */
function summary(verdicts: ReadonlyMap<string, Verdict>): string {
  const tried = chosen.filter(({ id }) => verdicts.has(id))
  const areas = [...new Set(tried.map(areaOf))]
  const lines = areas.map((area) => {
    const rows = tried.filter((breakage) => areaOf(breakage) === area)
    return `breakages of ${area}: ${rows.filter(({ id }) => verdicts.get(id)?.kind === 'found').length} of ${rows.length} found\n`
  })
  return lines.join('')
}
