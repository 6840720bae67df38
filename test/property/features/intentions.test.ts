import { describe, expect, it } from 'vitest'
import { deciding, type SaidIntention, speaksOf } from '../../../sim/checkers/intentions/intention-judge.ts'
import { intentionCreate, intentionDelete } from '../../../src/features/intention/commands.ts'
import { decidingIntention, intentionsFor } from '../../../src/features/intention/views.ts'
import { fc } from '../../fast-check.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 3_000 : 75

/** `namespace/name`, with wildcards as an intention may have them. */
const places = ['default/web', 'default/db', 'default/Web', 'default/*', 'other/web', 'other/*', '*/*'] as const
const asked = ['default/web', 'default/db', 'default/DB', 'other/web', 'other/none'] as const

function placeOf(text: string) {
  const [namespace = '', name = ''] = text.split('/')
  return { namespace, name }
}

const said = fc.record({
  source: fc.constantFrom(...places),
  destination: fc.constantFrom(...places),
  action: fc.constantFrom('allow' as const, 'deny' as const),
})
const step = fc.oneof(
  { weight: 4, arbitrary: said.map((body) => ({ body })) },
  { weight: 1, arbitrary: fc.nat(20).map((gone) => ({ gone })) },
)

describe('intentions, whatever is made and deleted in whatever order', () => {
  it('decide like a judge that knows nothing of precedence but which intention overrules which', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const server = new LoneServer()
        const held = new Map<string, SaidIntention>()
        for (const [at, each] of steps.entries()) await take(server, held, at, each)
        const all = [...held.values()]
        for (const source of asked) {
          for (const destination of asked) {
            const ends = { source: placeOf(source), destination: placeOf(destination) }
            const found = decidingIntention(server.read(), ends)
            const judgement = deciding(all, source, destination)
            expect(found?.action, `${source} => ${destination}`).toBe(judgement?.action)
            if (found !== undefined) expect(held.get(found.id)).toEqual(judgement)
          }
          for (const by of ['source', 'destination'] as const) {
            const matching = all.filter((each) => speaksOf(each[by], source))
            const told = intentionsFor(server.read(), by, placeOf(source))
            expect(told.map(({ id }) => held.get(id)).sort(compare)).toEqual(matching.sort(compare))
          }
        }
      }),
      { numRuns: runs },
    )
  })
})

async function take(
  server: LoneServer,
  held: Map<string, SaidIntention>,
  at: number,
  step: { readonly body: SaidIntention } | { readonly gone: number },
): Promise<void> {
  if ('gone' in step) {
    const id = [...held.keys()][step.gone]
    if (id === undefined) return
    held.delete(id)
    expect(await server.context.propose(intentionDelete, { id, seenFor: null })).toMatchObject({
      ok: true,
      value: { id },
    })
    return
  }
  const { source, destination, action } = step.body
  const id = `${at}`.padStart(36, '0')
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
  const isThere = [...held.values()].some((each) => same(each.source, source) && same(each.destination, destination))
  const content = { action, description: '', meta: [], defaultAddress: '', defaultPort: 0, createdMs: 0 }
  const ends = { source: placeOf(source), destination: placeOf(destination) }
  const made = await server.context.propose(intentionCreate, { id, ...ends, ...content })
  expect(made.ok && 'id' in made.value).toBe(!isThere)
  if (!isThere) held.set(id, step.body)
}

function compare(a: SaidIntention | undefined, b: SaidIntention | undefined): number {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)]
  return first < second ? -1 : first > second ? 1 : 0
}
