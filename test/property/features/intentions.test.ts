import { describe, expect, it } from 'vitest'
import { intentionCreate, intentionDelete } from '../../../src/features/intention/commands.ts'
import { decidingIntention, intentionsFor } from '../../../src/features/intention/views.ts'
import { fc } from '../../fast-check.ts'
import { LoneServer } from '../../unit/features/lone-server.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 3_000 : 150

/** `namespace/name`, with wildcards as an intention may have them. */
const places = ['default/web', 'default/db', 'default/Web', 'default/*', 'other/web', 'other/*', '*/*'] as const
const asked = ['default/web', 'default/db', 'default/DB', 'other/web', 'other/none'] as const

interface Said {
  readonly source: string
  readonly destination: string
  readonly action: 'allow' | 'deny'
}

/** The rule as people say it: a table of what overrules what, by how each end is written. */
const kinds = ['exact', 'namespace', 'everything'] as const
const overruling = kinds.flatMap((destination) => kinds.map((source) => `${source} => ${destination}`))

function kindOf(place: string): (typeof kinds)[number] {
  if (place === '*/*') return 'everything'
  return place.endsWith('/*') ? 'namespace' : 'exact'
}

function isOf(place: string, service: string): boolean {
  const pattern = place.toLowerCase().replaceAll('*', '[^/]+')
  return new RegExp(`^${pattern}$`).test(service.toLowerCase())
}

function judged(all: readonly Said[], source: string, destination: string): Said | undefined {
  for (const rank of overruling) {
    const found = all.find(
      (each) =>
        `${kindOf(each.source)} => ${kindOf(each.destination)}` === rank &&
        isOf(each.source, source) &&
        isOf(each.destination, destination),
    )
    if (found !== undefined) return found
  }
  return undefined
}

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
        const held = new Map<string, Said>()
        for (const [at, each] of steps.entries()) await take(server, held, at, each)
        const all = [...held.values()]
        for (const source of asked) {
          for (const destination of asked) {
            const ends = { source: placeOf(source), destination: placeOf(destination) }
            const found = decidingIntention(server.read(), ends)
            const judgement = judged(all, source, destination)
            expect(found?.action, `${source} => ${destination}`).toBe(judgement?.action)
            if (found !== undefined) expect(held.get(found.id)).toEqual(judgement)
          }
          for (const by of ['source', 'destination'] as const) {
            const matching = all.filter((each) => isOf(each[by], source))
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
  held: Map<string, Said>,
  at: number,
  step: { readonly body: Said } | { readonly gone: number },
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

function compare(a: Said | undefined, b: Said | undefined): number {
  const [first, second] = [JSON.stringify(a), JSON.stringify(b)]
  return first < second ? -1 : first > second ? 1 : 0
}
