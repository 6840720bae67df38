import { counts, equal, type Fact, named, soa, texts } from './fact.ts'

/** Those of an agent that has recursors: one that says nothing, one that fails, one that knows the names below. */
export const upstreamNames = {
  'www.example.org.': ['www.example.org. 60 CNAME host.example.org.', 'host.example.org. 60 A 192.0.2.8'],
  'host.example.org.': ['host.example.org. 60 A 192.0.2.8'],
  'named.example.org.': Array.from({ length: 8 }, (_none, at) => `named.example.org. 60 A 192.0.2.${at + 1}`),
  'mixed.example.org.': ['mixed.example.org. 60 A 192.0.2.9'],
  '7.2.0.192.in-addr.arpa.': ['7.2.0.192.in-addr.arpa. 60 PTR seven.example.org.'],
} as const

const withRecursion = 'NOERROR qr aa rd ra'
const relayed = 'NOERROR qr rd ra'

export const recursingFacts: readonly Fact[] = [
  named('4', 'recursion is there', 'foo.bar.node.svc.', {
    head: withRecursion,
    answers: ['foo.bar.node.svc. 0 A 10.5.0.4'],
  }),
  named('4', 'for unknown names, too', 'nope.node.svc.', { head: 'NXDOMAIN qr aa rd ra', authorities: [soa] }),
  named(
    '63',
    'for names of addresses, too',
    '4.0.5.10.in-addr.arpa.',
    { head: withRecursion, answers: ['4.0.5.10.in-addr.arpa. 0 PTR foo.bar.node.dc1.svc.'] },
    'PTR',
  ),
  named('2 111', 'a name of others is asked for in order, and the answer passed on', 'www.example.org.', {
    head: relayed,
    answers: ['host.example.org. 60 A 192.0.2.8', 'www.example.org. 60 CNAME host.example.org.'],
  }),
  named(
    '111',
    'by TCP as by UDP',
    'www.example.org.',
    { head: relayed, answers: ['host.example.org. 60 A 192.0.2.8', 'www.example.org. 60 CNAME host.example.org.'] },
    'A',
    { tcp: true },
  ),
  named('111', 'that there is no such name is an answer', 'nope.example.org.', { head: 'NXDOMAIN qr rd ra' }),
  {
    of: '111',
    says: 'nothing but a question is passed on',
    ask: { name: 'www.example.org.', opcode: 4 },
    said: (said) => equal([said.head, said.answers], ['NOTIMP qr ra', []]),
  },
  named('112', 'all fail', 'broken.example.org.', { head: 'SERVFAIL qr rd ra', edns: 'udp: 1232' }, 'A', {
    edns: 1232,
  }),
  named(
    '65',
    'a name of an address that nothing here has',
    '7.2.0.192.in-addr.arpa.',
    { head: relayed, answers: ['7.2.0.192.in-addr.arpa. 60 PTR seven.example.org.'] },
    'PTR',
  ),
  named('113', 'a name of the domain never leaves', 'www.example.org.svc.', {
    head: 'NXDOMAIN qr aa rd ra',
    authorities: [soa],
  }),
  named('52', 'a host name leads on to what recursors say', 'far.node.svc.', {
    head: withRecursion,
    answers: ['far.node.svc. 0 CNAME host.example.org.', 'host.example.org. 60 A 192.0.2.8'],
  }),
  named(
    '52',
    'for AAAA, too',
    'far.node.svc.',
    { head: withRecursion, answers: ['far.node.svc. 0 CNAME host.example.org.', 'host.example.org. 60 A 192.0.2.8'] },
    'AAAA',
  ),
  { of: '52', says: 'at most five records follow', ask: { name: 'named.service.svc.', tcp: true }, said: counts(6) },
  { of: '52', says: 'with EDNS all', ask: { name: 'named.service.svc.', edns: 1232 }, said: counts(9) },
  named('53', 'still no host name beside an address', 'mixed.service.svc.', {
    head: withRecursion,
    answers: ['mixed.service.svc. 0 A 10.5.0.2'],
    additionals: texts('mixed.service.svc.'),
  }),
  {
    of: '56',
    says: 'beside a service stands what recursors say',
    ask: { name: 'named.service.svc.', type: 'SRV', edns: 4096 },
    said: (said) => equal(said.additionals.length, 9),
  },
]
