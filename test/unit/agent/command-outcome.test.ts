import { describe, expect, it } from 'vitest'
import { CommandOutcome, resultOf } from '../../../src/agent/replication/command-outcome.ts'
import { err, ok } from '../../../src/base/result.ts'
import { kvDelete, kvPut } from '../../../src/features/kv/commands.ts'

describe('the outcome of a command', () => {
  it('is the result for the command that was proposed', () => {
    expect(resultOf(kvDelete, new CommandOutcome(kvDelete.kind, ok(true)))).toEqual(ok(true))
    const refused = err({ kind: 'refused', message: 'too old' } as const)
    expect(resultOf(kvDelete, new CommandOutcome(kvDelete.kind, refused))).toEqual(refused)
  })

  it('is never taken for that of another command, whatever its shape', () => {
    const other = new CommandOutcome(kvPut.kind, ok(true))
    expect(() => resultOf(kvDelete, other)).toThrow('an entry of the log was applied as the command that it is')
    expect(() => resultOf(kvDelete, ok(true))).toThrow('an entry of the log was applied as the command that it is')
    expect(() => resultOf(kvDelete, undefined)).toThrow('an entry of the log was applied as the command that it is')
  })
})
