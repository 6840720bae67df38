import { describe, expect, it } from 'vitest'
import { isOfProgram } from '../../../sim/cluster/processes.ts'
import { invariant } from '../../../src/base/invariant.ts'

function thrownBy(work: () => unknown): Error {
  try {
    work()
  } catch (cause) {
    if (cause instanceof Error) return cause
  }
  throw new Error('nothing was thrown')
}

describe('an exception that ends a process', () => {
  it('is the fault of the program where an invariant does not hold or a value is missing', () => {
    const missing: { readonly list?: readonly string[] } = JSON.parse('{}')
    expect(isOfProgram(thrownBy(() => invariant(false, 'entries follow each other', {})))).toBe(true)
    expect(isOfProgram(thrownBy(() => [...(missing.list as readonly string[])]))).toBe(true)
  })

  it('is not the fault of the program where its disk failed', () => {
    expect(isOfProgram(new Error('raft log: no space left'))).toBe(false)
  })
})
