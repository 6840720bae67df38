import { describe, expect, it } from 'vitest'
import type { HeldInstance, HeldNode } from '../../../sim/checkers/reads/held.ts'
import { aliasIn } from '../../../sim/checkers/reads/name-records.ts'
import { type NameAsked, type NameSettings, sectionsOf, ttlOf } from '../../../sim/checkers/reads/name-sections.ts'
import { NameTruth, nameFault } from '../../../sim/checkers/reads/name-truth.ts'
import type { DnsRecord } from '../../../src/dns-wire/message.ts'
import type { ReceivedResponse } from '../../../src/dns-wire/question.ts'
import { recorder } from './reports.ts'

const c1: HeldNode = { name: 'c1', isServer: true, address: '10.0.0.1', meta: [['zone', 'north']], checks: [] }
const c2: HeldNode = { name: 'c2', isServer: false, address: '10.0.0.2', meta: [], checks: [] }
const usual = {
  address: '',
  port: 80,
  tags: ['blue'],
  meta: [],
  weights: { passing: 3, warning: 1 },
  inMesh: false,
  checks: [],
}
const held: readonly HeldInstance[] = [
  { ...usual, node: c1, id: 'a' },
  {
    ...usual,
    node: c2,
    id: 'b',
    address: 'fd00::a:1',
    port: 81,
    inMesh: true,
    checks: [{ id: 'w', status: 'warning' }],
  },
  { ...usual, node: c2, id: 'c', port: 82, checks: [{ id: 'x', status: 'critical' }] },
]
const settings: NameSettings = {
  enableTruncate: true,
  onlyPassing: false,
  udpAnswerLimit: 1,
  additionalMetaTxt: true,
  nodeTtlS: 7,
  serviceTtlS: [],
  domains: ['svc.'],
  recursors: [],
}
const asked: NameAsked = {
  name: 'web.service.svc.',
  domain: 'svc.',
  type: 'SRV',
  over: 'tcp',
  udpSize: 1_232,
  thing: { kind: 'service', service: 'web', connect: false },
  datacenter: 'dc1',
  isRelayed: false,
}
const sections = (more: Partial<NameAsked>, with_ = settings) =>
  sectionsOf(held, [c1, c2], { ...asked, ...more }, with_)

const own = { authoritative: true, recursionAvailable: false, edns: true }
const none = { answers: [], authorities: [], additionals: [] }
const reverseOf = (address: string | undefined) => ({ kind: 'reverse', address, service: 'web' }) as const
const recursors = [{ host: '10.0.0.9', port: 53 }]

describe('N1', () => {
  it.each<[Partial<NameAsked>, readonly string[], readonly string[], readonly string[]]>([
    [
      { type: 'SRV' },
      [
        'web.service.svc. 0 SRV 1 3 80 c1.node.dc1.svc.',
        'web.service.svc. 0 SRV 1 1 81 fd0000000000000000000000000a0001.addr.dc1.svc.',
      ],
      [],
      [
        'c1.node.dc1.svc. 0 A 10.0.0.1',
        'c1.node.dc1.svc. 0 TXT zone=north',
        'fd0000000000000000000000000a0001.addr.dc1.svc. 0 AAAA fd00:0:0:0:0:0:a:1',
      ],
    ],
    [{ type: 'A' }, ['web.service.svc. 0 A 10.0.0.1'], [], ['web.service.svc. 0 TXT zone=north']],
    [{ type: 'TXT' }, ['web.service.svc. 0 TXT zone=north'], [], []],
    [{ type: 'MX' }, [], ['svc. 0 SOA ns.svc.'], ['web.service.svc. 0 TXT zone=north']],
    [
      { type: 'AAAA', thing: { kind: 'service', service: 'web', connect: true } },
      ['web.service.svc. 0 AAAA fd00:0:0:0:0:0:a:1'],
      [],
      [],
    ],
    [
      { thing: { kind: 'node', node: 'c1' }, name: 'c1.node.svc.', type: 'A' },
      ['c1.node.svc. 7 A 10.0.0.1'],
      [],
      ['c1.node.svc. 7 TXT zone=north'],
    ],
    [{ thing: { kind: 'node', node: 'c1' }, name: 'c1.node.svc.', type: 'SRV' }, [], [], []],
    [
      { thing: { kind: 'address', address: '10.0.0.1' }, name: '0a000001.addr.svc.', type: 'AAAA' },
      ['0a000001.addr.svc. 7 A 10.0.0.1'],
      [],
      [],
    ],
    [{ thing: { kind: 'address', address: undefined }, name: '0a.addr.svc.', type: 'A' }, [], [], []],
    [{ thing: { kind: 'query', found: held.slice(2), ttlS: 9 }, type: 'A' }, ['web.service.svc. 9 A 10.0.0.2'], [], []],
  ])('of %o expects %o, %o, %o', (more, answers, authorities, additionals) => {
    expect(sections(more)).toMatchObject({ rcode: 'NOERROR', answers, authorities, additionals, ...own })
  })

  it('expects the host name of an instance as an alias where nothing else stands, and the name of its node as a place', () => {
    const byName = (id: string, node: HeldNode, host: string): HeldInstance => ({ ...usual, node, id, address: host })
    const [one, two] = [byName('d', c2, 'Host-1.example'), byName('e', c2, 'host-2.example')]
    const of = (instances: readonly HeldInstance[], more: Partial<NameAsked>) =>
      sectionsOf(instances, [c1, c2], { ...asked, ...more }, settings)
    const aliasTo = (host: string) => [`web.service.svc. 0 CNAME ${host}.`]
    expect(of([one, two], { type: 'A' }).answers).toEqual(aliasTo('host-1.example'))
    expect(of([one, two], { type: 'A', alias: 'host-2.example.' }).answers).toEqual(aliasTo('host-2.example'))
    expect(of([one, two], { type: 'A', alias: 'host-3.example.' }).answers).toEqual(aliasTo('host-1.example'))
    expect(of([one], { type: 'MX' }).answers).toEqual([])
    expect(of([...held, one], { type: 'A' }).answers).toEqual(['web.service.svc. 0 A 10.0.0.1'])
    expect(of([one], { type: 'SRV' })).toMatchObject({
      answers: ['web.service.svc. 0 SRV 1 3 80 c2.node.dc1.svc.'],
      additionals: ['c2.node.dc1.svc. 0 CNAME host-1.example.'],
    })
  })

  it('takes the host name that the answer itself has, in whatever letters, where several instances have one', () => {
    const hosts = ['host-1.example', 'Host-2.example']
    const instances = hosts.map((address, at) => ({ ...usual, node: c2, id: `d${at}`, address }))
    const record = { name: 'web.service.svc.', ttl: 0, class: 'IN' } as const
    const told: readonly DnsRecord[] = [
      { ...record, type: 'TXT', texts: ['zone=north'] },
      { ...record, type: 'CNAME', target: 'HOST-2.example.' },
    ]
    const expected = sectionsOf(instances, [c1, c2], { ...asked, type: 'A', alias: aliasIn(told) }, settings)
    expect(expected.answers).toEqual(['web.service.svc. 0 CNAME host-2.example.'])
    expect(aliasIn(told.slice(0, 1))).toBeUndefined()
  })

  it.each<Partial<NameAsked>>([
    { thing: { kind: 'nothing' } },
    { thing: { kind: 'service', service: 'web', connect: false, tag: 'red' } },
    { thing: { kind: 'node', node: 'c3' }, type: 'A' },
  ])('of %o expects that there is no such name', (more) => {
    expect(sections(more)).toMatchObject({ rcode: 'NXDOMAIN', answers: [], authorities: ['svc. 0 SOA ns.svc.'] })
  })

  it('expects the servers of the datacenter at the domain, and its start of authority', () => {
    const servers = ['svc. 7 NS c1.node.dc1.svc.']
    const additionals = ['c1.node.dc1.svc. 7 A 10.0.0.1']
    const zone = { kind: 'zone' } as const
    expect(sections({ thing: zone, type: 'NS' })).toMatchObject({ answers: servers, authorities: [], additionals })
    const start = { answers: ['svc. 0 SOA ns.svc.'], authorities: servers, additionals }
    expect(sections({ thing: zone, type: 'SOA' })).toMatchObject(start)
  })

  it.each<[Partial<NameAsked>, Partial<NameSettings>, object]>([
    [{ thing: reverseOf('10.0.0.2') }, {}, { answers: ['x. 0 PTR c2.node.dc1.svc.'], authorities: [], ...own }],
    [{ thing: reverseOf('fd00::a:1') }, {}, { answers: ['x. 0 PTR web.service.svc.'] }],
    [{ thing: reverseOf('10.0.0.2'), type: 'SOA' }, {}, { authorities: ['svc. 0 SOA ns.svc.'] }],
    [
      { thing: reverseOf('10.0.0.3') },
      {},
      { rcode: 'SERVFAIL', ...none, authoritative: false, recursionAvailable: true, edns: true },
    ],
    [{ thing: reverseOf(undefined) }, {}, { rcode: 'SERVFAIL', recursionAvailable: true }],
    [
      { thing: { kind: 'outside' } },
      {},
      { rcode: 'SERVFAIL', ...none, authoritative: false, recursionAvailable: false, edns: false },
    ],
    [
      { thing: { kind: 'outside' }, isRelayed: true },
      {},
      { rcode: 'SERVFAIL', ...none, authoritative: false, recursionAvailable: true, edns: true },
    ],
    [{ isRelayed: true }, {}, { rcode: 'NOERROR', ...own }],
    [{}, { recursors }, { authoritative: true, recursionAvailable: true }],
  ])('of %o with %o expects %o', (more, with_, expected) => {
    expect(sections({ name: 'X.', type: 'PTR', ...more }, { ...settings, ...with_ })).toMatchObject(expected)
  })

  it('takes the time to live of a service from the longest beginning of its name', () => {
    const ttls = (...serviceTtlS: NameSettings['serviceTtlS']) => ttlOf('web', { serviceTtlS })
    expect(ttls()).toBe(0)
    expect(ttls(['*', 1], ['we*', 2], ['w*', 3])).toBe(2)
    expect(ttls(['*', 1], ['web', 2], ['web*', 3], ['b*', 4])).toBe(2)
    expect(ttls(['webs', 2], ['b*', 4])).toBe(0)
  })

  it('leaves out what warns where an agent says so', () => {
    expect(sections({ type: 'SRV' }, { ...settings, onlyPassing: true }).answers).toHaveLength(1)
  })

  const a = (address: string): DnsRecord => ({ type: 'A', name: 'web.service.svc.', ttl: 0, address })
  const two = [a('10.0.0.1'), a('10.0.0.2')]
  const well: ReceivedResponse & { readonly bytes: number } = {
    id: 1,
    opcode: 0,
    rcode: 'NOERROR',
    authoritative: true,
    truncated: false,
    recursionDesired: true,
    recursionAvailable: false,
    question: { name: 'web.service.svc.', type: 1, class: 1 },
    answers: two,
    authorities: [],
    additionals: [],
    udpSize: 1_232,
    bytes: 100,
  }
  const plain = { over: 'udp', udpSize: undefined } as const
  const cut = { ...well, answers: two.slice(1), udpSize: undefined }
  it.each<[string, Partial<NameAsked>, Partial<typeof well>, RegExp | undefined]>([
    ['the whole over TCP', {}, {}, undefined],
    ['the whole in another order', {}, { answers: [...two].reverse() }, undefined],
    ['less over TCP', {}, { answers: two.slice(1) }, /has in its answer section/],
    [
      'less over UDP with room',
      { over: 'udp', udpSize: 4_096 },
      { answers: two.slice(1), udpSize: 4_096 },
      /answer section/,
    ],
    ['as many as may be told, and says so', plain, { ...cut, truncated: true }, undefined],
    ['as many as may be told, and does not say so', plain, cut, /does not say that it is truncated/],
    ['more than may be told', plain, { udpSize: undefined }, /at most 1 are allowed/],
    [
      'a part that is none',
      plain,
      { ...cut, truncated: true, answers: [a('10.0.0.3')] },
      /which the complete answer lacks/,
    ],
    ['nothing of it', plain, { ...cut, truncated: true, answers: [] }, /cut to nothing/],
    ['whole, and says that it is not', {}, { truncated: true }, /says that it is truncated/],
    ['another question', {}, { question: { name: 'x.svc.', type: 1, class: 1 } }, /answered for x.svc./],
    ['another code', {}, { rcode: 'SERVFAIL' }, /instead of NOERROR/],
    ['no authority', {}, { authoritative: false }, /flags aa false/],
    ['no EDNS', {}, { udpSize: undefined }, /EDNS of none/],
    ['EDNS unasked', { udpSize: undefined }, {}, /asked with none/],
    ['no more bytes than fit', { over: 'udp', udpSize: 1_024 }, { udpSize: 1_024, bytes: 1_024 }, undefined],
    ['more bytes than fit', { over: 'udp', udpSize: 1_024 }, { udpSize: 1_024, bytes: 1_025 }, /its client takes 1024/],
    [
      'one record that is longer than what fits',
      { over: 'udp', udpSize: 1_024 },
      { udpSize: 1_024, bytes: 1_025, truncated: true, answers: two.slice(1) },
      undefined,
    ],
    ['more beside it', {}, { additionals: [a('10.0.0.1')] }, /additional section/],
  ])('judges %s', (_, more, told, fault) => {
    const whole = {
      rcode: 'NOERROR' as const,
      answers: ['web.service.svc. 0 A 10.0.0.1', 'web.service.svc. 0 A 10.0.0.2'],
      authorities: [],
      additionals: [],
      ...own,
    }
    const found = nameFault(whole, { ...asked, type: 'A', ...more }, settings, { ...well, ...told })
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(fault)
  })

  it('is reported, or excused', () => {
    const { judge, lines, counts } = recorder()
    const truth = new NameTruth(judge)
    truth.compared('web', undefined)
    truth.changed()
    truth.compared('web', 'is cut to nothing')
    expect([lines, counts()]).toEqual([['N1: web is cut to nothing'], ['N1 2', 'N1 excused: changed meanwhile 1']])
  })
})
