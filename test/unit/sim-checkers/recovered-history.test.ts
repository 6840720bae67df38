import { describe, expect, it } from 'vitest'
import { historyText, parseHistory } from '../../../sim/checkers/keys/history-file.ts'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { LinearizableKeys } from '../../../sim/checkers/keys/linearizable-keys.ts'
import { judgeHistory } from '../../../sim/report/history-report.ts'
import { recorder } from './reports.ts'

function operation(part: Partial<KeyOperation> & Pick<KeyOperation, 'callUs'>): KeyOperation {
  return {
    client: 'client',
    key: 'k',
    kind: 'write',
    value: undefined,
    expected: undefined,
    consistency: 'consistent',
    returnUs: part.callUs + 5,
    outcome: 'ok',
    found: undefined,
    ...part,
  }
}

const kept = operation({ value: 'kept', callUs: 10 })
const lost = operation({ value: 'lost', callUs: 20 })
const seen = operation({ kind: 'read', found: 'lost', callUs: 30 })

/** The cluster is recovered at 100 with what it was after the write of 'kept', or before it. */
function recovered(
  judge: ConstructorParameters<typeof LinearizableKeys>[0],
  operations: readonly KeyOperation[],
  held: string | undefined,
): LinearizableKeys {
  const checker = new LinearizableKeys(judge, 0)
  for (const one of operations) checker.began(one)
  checker.recovered({ atUs: 100, heldOf: () => held, isKept: (value) => value === held })
  return checker
}

const verdict = (...operations: readonly KeyOperation[]): readonly string[] => verdictWith('kept', operations)

function verdictWith(held: string | undefined, operations: readonly KeyOperation[]): readonly string[] {
  const { judge, codes } = recorder()
  const checker = recovered(judge, operations, held)
  checker.judge()
  expect(judgedFromFile(checker)).toBe(codes.length === 0 ? 'linearizable' : 'NOT linearizable')
  return codes
}

/** What `lincheck` says of the history that the run writes. */
function judgedFromFile({ judged }: LinearizableKeys): string {
  const text = historyText({ about: undefined, staleDefaultUs: 0, operations: judged })
  const history = parseHistory('history', text)
  return history.ok ? judgeHistory(history.value, 10_000).verdict : history.error.join()
}

const reads = (found: string | undefined, callUs: number): KeyOperation => operation({ kind: 'read', found, callUs })

describe('K1 over the recovery from the loss of a majority', () => {
  it('excuses a write that was acknowledged, seen, and lost', () => {
    expect(verdict(kept, lost, seen, reads('kept', 110))).toEqual([])
  })

  it('lets what may be lost come later, but only once', () => {
    expect(verdict(kept, lost, seen, reads('kept', 110), reads('lost', 120))).toEqual([])
    expect(verdict(kept, lost, reads('lost', 110), reads('kept', 120))).toEqual(['K1'])
  })

  it('does not excuse the loss of what was kept', () => {
    expect(verdict(kept, lost, reads(undefined, 110))).toEqual(['K1'])
  })

  it('begins without the key where no entry that was kept had written it', () => {
    expect(verdictWith(undefined, [kept, lost, seen, reads(undefined, 110)])).toEqual([])
    expect(verdictWith(undefined, [kept, lost, seen, reads('lost', 110), reads(undefined, 120)])).toEqual(['K1'])
  })

  it('excuses nothing before it', () => {
    expect(verdict(kept, lost, reads('kept', 40))).toEqual(['K1'])
  })

  it('excuses nothing after it', () => {
    const fresh = operation({ value: 'fresh', callUs: 110 })
    expect(verdict(kept, lost, fresh, reads('fresh', 120))).toEqual([])
    expect(verdict(kept, lost, fresh, reads('kept', 120))).toEqual(['K1'])
  })
})
