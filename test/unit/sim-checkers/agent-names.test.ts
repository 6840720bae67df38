import { describe, expect, it } from 'vitest'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import { agentNames } from '../../../sim/checkers/pool/agent-names.ts'
import { keptRegistrations } from '../../../sim/checkers/pool/kept-registrations.ts'

const [id, other] = ['00000000-0000-4000-8001-000000000001', '00000000-0000-4000-8001-000000000002']

/** A run in which the agent on c1 begins as c1 and goes on as web-1. */
function renamed(): Invariants {
  const run = new Invariants({ nowUs: () => 0, staleDefaultMs: 0, onTrigger: () => {} })
  run.tell('process began', { node: 'c2', boot: 1, id: other })
  run.tell('process began', { node: 'c1', name: 'c1', boot: 1, id })
  run.tell('process died', { node: 'c1' })
  run.tell('agent renamed', { node: 'c1', id, from: 'c1' })
  run.tell('process began', { node: 'c1', name: 'web-1', boot: 2, id })
  return run
}

function deregister(run: Invariants, node: string): void {
  run.of(keptRegistrations).deregistered({ node, serviceId: '', checkId: '' })
}

describe('the names of agents', () => {
  it('are those of their machines until an operator renames one', () => {
    const names = renamed().of(agentNames)
    expect([names.nameOf('c1'), names.nodeOf('web-1'), names.nodeOf('c1')]).toEqual(['web-1', 'c1', 'c1'])
    expect([names.nameOf('c2'), names.nodeOf('c2'), names.nodeOf('nowhere')]).toEqual(['c2', 'c2', 'nowhere'])
  })

  it('say which node E3 keeps: the present name stays, and the former one may go', () => {
    const run = renamed()
    deregister(run, 'c1')
    expect(run.violations).toEqual([])
    deregister(run, 'web-1')
    expect(run.violations.map(({ message }) => message)).toEqual([
      'web-1 was removed from the catalog, although its agent runs and was never asked to leave',
    ])
  })

  it('end what E3 excuses, once the agent has the name again and all know it', () => {
    const run = renamed()
    run.tell('process died', { node: 'c1' })
    run.tell('agent renamed', { node: 'c1', id, from: 'web-1' })
    run.tell('process began', { node: 'c1', name: 'c1', boot: 3, id })
    deregister(run, 'c1')
    expect(run.violations).toEqual([])
    run.tell('removal over', { node: 'c1', id })
    deregister(run, 'c1')
    expect(run.violations).toHaveLength(1)
  })
})
