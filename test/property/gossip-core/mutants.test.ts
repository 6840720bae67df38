import { describe, expect, it } from 'vitest'
import { checkFit, mutantCore, type Patch } from './mutation.ts'
import { failureOf } from './swarm.ts'

const long = process.env['SVC_TEST_LONG'] === '1'
/** Those that few seeds find take their budget; by default only the others run. */
const commonBudgetMax = 30

interface Mutant extends Patch {
  readonly name: string
  /** Seeds within which it must be found, and what must be said of it. */
  readonly budget: number
  readonly failure: RegExp
}

const mutants: readonly Mutant[] = [
  {
    name: 'an accusation is not refuted',
    file: 'suspicion.ts',
    find: 'return refute(gossip, suspect.incarnation)',
    replace: 'return',
    budget: 30,
    failure: /no agreement/,
  },
  {
    name: 'a refutation does not raise the incarnation above the accusation',
    file: 'health.ts',
    find: 'Math.max(gossip.self.incarnation, accused) + 1',
    replace: 'Math.max(gossip.self.incarnation, accused)',
    budget: 30,
    failure: /no agreement/,
  },
  {
    name: 'a word of life raises the dead of the same incarnation',
    file: 'alive.ts',
    find: 'if (alive.incarnation <= known.incarnation) return',
    replace: 'if (alive.incarnation < known.incarnation) return',
    budget: 30,
    failure: /M3/,
  },
  {
    name: 'an old word of death counts',
    file: 'dead.ts',
    find: "if (dead.incarnation < member.incarnation || member.state === 'dead') return",
    replace: "if (member.state === 'dead') return",
    budget: 60,
    failure: /M3/,
  },
  {
    name: 'gossip goes to members that have left',
    file: 'roster.ts',
    find: "return member.status === 'failed' && deadMs <= gossip.options.timing.gossipToDeadMs",
    replace: 'return deadMs <= gossip.options.timing.gossipToDeadMs',
    budget: 60,
    failure: /M5/,
  },
  {
    name: 'members that have left are tried again',
    file: 'rounds.ts',
    find: 'const member = nextToReconnect(gossip)',
    replace: 'const member = left[0] ?? nextToReconnect(gossip)',
    budget: 60,
    failure: /M5/,
  },
  {
    name: 'the failed are not tried again',
    file: 'rounds.ts',
    find: 'if (turn.random.fraction() > failed.length / living) return',
    replace: 'if (living > 0) return',
    budget: 60,
    failure: /no agreement/,
  },
  {
    name: 'a suspicion is not timed',
    file: 'suspicion.ts',
    find: 'if (setMs === undefined || dueMs < setMs)',
    replace: 'if (setMs !== undefined && dueMs < setMs)',
    budget: 60,
    failure: /no agreement/,
  },
  {
    name: 'a word on leaving by force is not refuted',
    file: 'intents.ts',
    find: "if (gossip.leaving !== 'member') return\n  note",
    replace: "if (gossip.leaving !== 'left') return\n  note",
    budget: 60,
    failure: /no agreement/,
  },
]

describe('the model world finds planted bugs', () => {
  it('which all fit the source', () => {
    for (const mutant of mutants) checkFit(mutant)
  })

  for (const [number, mutant] of mutants.entries()) {
    if (!long && mutant.budget > commonBudgetMax) continue
    it(`${mutant.name}: found within ${mutant.budget} seeds`, async () => {
      const core = await mutantCore(`mutant-${number}`, mutant)
      let failure: string | undefined
      for (let seed = 1; seed <= mutant.budget && failure === undefined; seed++) failure = failureOf(seed, core)
      expect(failure).toMatch(mutant.failure)
    })
  }

  it('says so when a patch no longer fits the source', async () => {
    const patch = { file: 'alive.ts', find: 'no such text', replace: '' }
    await expect(mutantCore('unfit', patch)).rejects.toThrow('does not hold the text once')
    await expect(mutantCore('homeless', { ...patch, file: 'gone.ts' })).rejects.toThrow('there is no gone.ts')
  })
})
