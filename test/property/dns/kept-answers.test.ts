import { describe, expect, it } from 'vitest'
import type { TypeName } from '../../../src/dns-wire/message.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'
import { fc } from '../../fast-check.ts'
import { CatalogWorld } from '../../unit/dns/catalog-world.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 500 : 6

/** With some letters in capitals. */
const cased = (name: string, bits: number): string =>
  [...name].map((letter, at) => ((bits >> (at % 16)) & 1 ? letter.toUpperCase() : letter)).join('')

const asked = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(['web.service.svc.', 'A'], ['web.service.svc.', 'SRV'], ['n1.node.svc.', 'A']),
  },
  fc.constantFrom(
    ['web.service.svc.', 'ANY'],
    ['v1.web.service.dc1.svc.', 'A'],
    ['_web._tcp.service.svc.', 'SRV'],
    ['svc.service.consul.', 'A'],
    ['n2.node.dc1.svc.', 'TXT'],
    ['alias.node.svc.', 'A'],
    ['alias.node.svc.', 'AAAA'],
    ['0a050001.addr.svc.', 'SRV'],
    ['svc.', 'SOA'],
    ['svc.', 'NS'],
    ['web.service.dc2.svc.', 'A'],
    ['1.0.5.10.in-addr.arpa.', 'PTR'],
  ),
) as fc.Arbitrary<readonly [name: string, type: TypeName]>
const question = fc.record({
  kind: fc.constant('ask' as const),
  asked,
  capitals: fc.nat({ max: 0xffff }),
  udpSize: fc.oneof({ weight: 4, arbitrary: fc.constant(1232) }, fc.constantFrom(undefined, 512, 4096)),
  transport: fc.oneof({ weight: 4, arbitrary: fc.constant('udp' as const) }, fc.constant('tcp' as const)),
  id: fc.nat({ max: 0xffff }),
})
const change = fc.record({
  kind: fc.constant('place' as const),
  node: fc.constantFrom('n1', 'n2', 'n3'),
  host: fc.nat({ max: 2 }),
  service: fc.constantFrom('web', 'api', 'svc'),
  status: fc.constantFrom('passing', 'warning', 'critical'),
})
const removal = fc.record({ kind: fc.constant('remove' as const), node: fc.constantFrom('n1', 'n2', 'n3') })
const passing = fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 60, 700) })
const event = fc.oneof({ weight: 20, arbitrary: question }, { weight: 2, arbitrary: change }, removal, passing)

interface Facts {
  /** Everything but the records, and how many there are of each kind. */
  readonly head: unknown
  readonly records: readonly string[]
}

/** What a client reads, in no order: that is drawn, and where not all fits, the choice, too. */
function facts(bytes: Uint8Array | undefined): Facts {
  const read = bytes === undefined ? undefined : decodeResponse(bytes)
  if (read?.ok !== true) throw new Error('no answer')
  const { answers, authorities, additionals, ...head } = read.value
  const sections = [answers, authorities, additionals]
  const counts = sections.map((records) => records.map(({ type }) => type).sort())
  const records = sections.flatMap((each, at) => each.map((record) => `${at} ${JSON.stringify(record)}`))
  return { head: { ...head, counts, bytes: bytes?.length }, records }
}

describe('what DNS keeps of its answers', () => {
  it('is at every moment what would be answered anew', async () => {
    let known = 0
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 40, maxLength: 90 }), async (events) => {
        const world = new CatalogWorld()
        world.place({ node: 'alias', address: 'n1.node.svc' })
        for (const each of events) {
          if (each.kind === 'remove') world.remove(each.node)
          else if (each.kind === 'pass') {
            world.monoMs += each.ms
            world.wallMs += each.ms
          } else if (each.kind === 'place') {
            const { node, host, service, status } = each
            const address = `10.5.${host}.${node.slice(1)}`
            const meta = [['rack', node]] as const
            world.place({ node, address, meta, service: { service, tags: ['v1'], port: 80 }, checks: [status] })
          } else {
            const { id, asked, capitals, udpSize, transport } = each
            const name = cased(asked[0], capitals)
            const packet = encodeQuestion({ id, name, type: asked[1], ...(udpSize === undefined ? {} : { udpSize }) })
            const [said, anew] = [await world.send(packet, transport), await world.sendAnew(packet, transport)]
            expect(facts(said).head).toEqual(facts(anew).head)
            const whole = facts(await world.sendAnew(packet, 'tcp')).records
            expect(whole).toEqual(expect.arrayContaining([...facts(said).records]))
          }
        }
        known += world.known
      }),
      { numRuns: runs },
    )
    expect(known).toBeGreaterThan(runs)
  })
})
