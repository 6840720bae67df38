import type { Question, Said } from './asked.ts'

/** What the reference says of one question. Sections that are not named hold nothing. */
export interface Fact {
  /** Its numbers in the reference. */
  readonly of: string
  readonly says: string
  readonly ask: Question
  readonly said: Partial<Said> | ((said: Said) => void) | 'no answer'
}

const soa = 'svc. 0 SOA ns.svc. hostmaster.svc. <now> 3600 600 86400 0'
const nothing = 'NXDOMAIN qr aa rd'
const failure = 'SERVFAIL qr aa rd'
const unknown = { head: nothing, authorities: [soa] }
const texts = (name: string, ttl = 0) => [`${name} ${ttl} TXT "hello"`, `${name} ${ttl} TXT "rack=r7"`]
const webServices = (name: string) => [
  `${name} 0 SRV 1 10 80 d1.node.dc1.svc.`,
  `${name} 0 SRV 1 3 81 0a050909.addr.dc1.svc.`,
]
const webGlue = ['0a050909.addr.dc1.svc. 0 A 10.5.9.9', 'd1.node.dc1.svc. 0 A 10.5.0.1', ...texts('d1.node.dc1.svc.')]
const web = (name: string) => ({
  answers: [`${name} 0 A 10.5.0.1`, `${name} 0 A 10.5.9.9`],
  additionals: texts(name),
})
const ns = 'svc. 0 NS node-a.node.dc1.svc.'
const nsGlue = ['node-a.node.dc1.svc. 0 A 127.0.0.1']

/** A fact of names and what they get, one for each line. */
const named = (
  of: string,
  says: string,
  name: string,
  said: Partial<Said>,
  type = 'A',
  more: Partial<Question> = {},
): Fact => ({
  of,
  says,
  ask: { name, type, ...more },
  said,
})

/** Asked of an agent without any setting of DNS. */
export const plainFacts: readonly Fact[] = [
  named(
    '3',
    'a name of nobody is a failure, without EDNS though it was asked with',
    'www.example.com.',
    { head: 'SERVFAIL qr rd' },
    'A',
    { edns: 1232 },
  ),
  named(
    '4',
    'recursion that was not wanted is not said to have been',
    'd1.node.svc.',
    { head: 'NOERROR qr aa', answers: ['d1.node.svc. 0 A 10.5.0.1'], additionals: texts('d1.node.svc.') },
    'A',
    { rd: false },
  ),
  named('4', 'an unknown name has the same flags', 'nope.node.svc.', unknown),
  named('4', 'so has a failure', 'd1.node.dc9.svc.', { head: failure }),
  named(
    '5',
    'the class of a question does not matter',
    'd1.node.svc.',
    { answers: ['d1.node.svc. 0 A 10.5.0.1'], additionals: texts('d1.node.svc.') },
    'A',
    { class: 'CH' },
  ),
  named('6', 'case does not matter, and answers repeat it', 'D1.NODE.Svc.', {
    answers: ['D1.NODE.Svc. 0 A 10.5.0.1'],
    additionals: texts('D1.NODE.Svc.'),
  }),
  named('6', 'a service that was registered with capitals is found without', 'upcase.service.svc.', {
    answers: ['upcase.service.svc. 0 A 10.5.0.5'],
  }),
  named('6', 'a tag is found whatever its case', 'BLUE.web.service.svc.', {
    answers: ['BLUE.web.service.svc. 0 A 10.5.0.1'],
    additionals: texts('BLUE.web.service.svc.'),
  }),
  {
    of: '7',
    says: 'another opcode is answered like a question',
    ask: { name: 'foo.bar.node.svc.', opcode: 2 },
    said: (said) => equal(said.answers, ['foo.bar.node.svc. 0 A 10.5.0.4']),
  },
  named('10', 'a node', 'd1.node.svc.', { answers: ['d1.node.svc. 0 A 10.5.0.1'], additionals: texts('d1.node.svc.') }),
  named('10', 'a node of a datacenter', 'd1.node.dc1.svc.', {
    answers: ['d1.node.dc1.svc. 0 A 10.5.0.1'],
    additionals: texts('d1.node.dc1.svc.'),
  }),
  named('10', 'a node whose name has dots', 'foo.bar.node.svc.', { answers: ['foo.bar.node.svc. 0 A 10.5.0.4'] }),
  named('11', 'a service', 'web.service.svc.', web('web.service.svc.')),
  named('11', 'a service of a datacenter', 'web.service.dc1.svc.', web('web.service.dc1.svc.')),
  named('11', 'a tag with a dot', 'a.b.web.service.svc.', { answers: ['a.b.web.service.svc. 0 A 10.5.9.9'] }),
  named(
    '12',
    'RFC 2782',
    '_web._tcp.service.svc.',
    { answers: webServices('_web._tcp.service.svc.'), additionals: webGlue },
    'SRV',
  ),
  named('12', 'RFC 2782 for addresses', '_web._tcp.service.svc.', web('_web._tcp.service.svc.')),
  named('12', 'a protocol is a tag, udp as well', '_web._udp.service.svc.', {
    answers: ['_web._udp.service.svc. 0 A 10.5.9.9'],
  }),
  named(
    '13',
    'RFC 2782 without service',
    '_web._blue.dc1.svc.',
    { answers: ['_web._blue.dc1.svc. 0 SRV 1 10 80 d1.node.dc1.svc.'], additionals: webGlue.slice(1) },
    'SRV',
  ),
  named('13', 'which no other type has', '_web._blue.svc.', unknown),
  named('14', 'a service of which nothing is in the mesh', 'web.connect.svc.', unknown),
  named('14', 'labels left of it do not matter', 'any.thing.web.connect.dc1.svc.', unknown),
  named('15', 'a prepared query', 'find.query.svc.', {
    answers: ['find.query.svc. 12 A 10.5.0.1'],
    additionals: texts('find.query.svc.', 12),
  }),
  named('15', 'one whose name has dots, in a datacenter', 'dotted.find.query.dc1.svc.', {
    answers: ['dotted.find.query.dc1.svc. 0 A 10.5.0.1'],
    additionals: texts('dotted.find.query.dc1.svc.'),
  }),
  named('16', 'an address that a name spells', '0a050001.addr.dc1.svc.', {
    answers: ['0a050001.addr.dc1.svc. 0 A 10.5.0.1'],
  }),
  named(
    '16',
    'one of IPv6',
    'fd000000000000000000000000000007.addr.svc.',
    { answers: ['fd000000000000000000000000000007.addr.svc. 0 AAAA fd00::7'] },
    'AAAA',
  ),
  named(
    '16',
    'whatever type was asked for: AAAA',
    '0a050001.addr.dc1.svc.',
    { answers: ['0a050001.addr.dc1.svc. 0 A 10.5.0.1'] },
    'AAAA',
  ),
  named(
    '16',
    'whatever type was asked for: SRV',
    '0a050001.addr.dc1.svc.',
    { answers: ['0a050001.addr.dc1.svc. 0 A 10.5.0.1'] },
    'SRV',
  ),
  named('17', 'a length that no address has', 'abc.addr.svc.', {}),
  named('17', 'not spelled in hexadecimal digits', '0a05000g.addr.svc.', unknown),
  named('17', 'a digit too many', '0a0500011.addr.svc.', unknown),
  named('17', 'more than one label', 'x.0a050001.addr.svc.', unknown),
  named('17', 'an address of nobody, in no datacenter', 'c0000201.addr.dc9.svc.', {
    answers: ['c0000201.addr.dc9.svc. 0 A 192.0.2.1'],
  }),
  ...['service.svc.', 'node.svc.', 'query.svc.', 'connect.svc.', 'svc.', 'junk.svc.', 'a.b.c.d.svc.'].map((name) =>
    named('18', `${name} alone is nothing`, name, unknown),
  ),
  named('19', 'two labels are no datacenter', 'web.service.dc1.more.svc.', unknown),
  ...['d1.node.dc9.svc.', 'web.service.dc9.svc.', 'web.connect.dc9.svc.', 'find.query.dc9.svc.'].map((name) =>
    named('20', `there is no such datacenter: ${name}`, name, { head: failure }),
  ),
  named(
    '21',
    'any name has the authority of the domain',
    'junk.svc.',
    { answers: [soa], authorities: [ns], additionals: nsGlue },
    'SOA',
  ),
  named('21', 'and its servers', 'web.service.svc.', { answers: [ns], additionals: nsGlue }, 'NS'),
  named('30', 'an unknown node', 'nope.node.svc.', unknown),
  named('31', 'a node of IPv4 alone', 'd1.node.svc.', { additionals: texts('d1.node.svc.') }, 'AAAA'),
  named('31', 'a node of IPv6 alone', 'd6.node.svc.', {}),
  ...['SRV', 'MX', 'CNAME'].map((type) => named('32', `no ${type} of a node is looked up`, 'nope.node.svc.', {}, type)),
  named('33', 'an unknown service', 'nope.service.svc.', unknown),
  named('33', 'a tag that nobody has', 'green.web.service.svc.', unknown),
  named('33', 'nobody who is well', 'nursed.service.svc.', unknown),
  named(
    '34',
    'a service of IPv4 alone',
    'web.service.svc.',
    { authorities: [soa], additionals: texts('web.service.svc.') },
    'AAAA',
  ),
  named(
    '34',
    'a service has no MX',
    'web.service.svc.',
    { authorities: [soa], additionals: texts('web.service.svc.') },
    'MX',
  ),
  named('35', 'an unknown prepared query', 'nope.query.svc.', unknown),
  named('35', 'one that finds nobody', 'nobody.query.svc.', unknown),
  named('38', 'the authority', 'svc.', { answers: [soa], authorities: [ns], additionals: nsGlue }, 'SOA'),
  named('39 62', 'the servers', 'svc.', { answers: [ns], additionals: nsGlue }, 'NS'),
  named('50', 'a node of IPv6', 'd6.node.svc.', { answers: ['d6.node.svc. 0 AAAA fd00::6'] }, 'AAAA'),
  named('51', 'an instance with an address of its own, and one without', 'web.service.svc.', web('web.service.svc.')),
  named('51', 'an address is told once', 'dup.service.svc.', { answers: ['dup.service.svc. 0 A 10.5.0.2'] }),
  named('52', 'a host name, and nobody to be asked for it', 'far.node.svc.', {
    answers: ['far.node.svc. 0 CNAME host.example.org.'],
  }),
  named('52', 'a host name of our own leads on', 'alias.node.svc.', {
    answers: ['alias.node.svc. 0 CNAME d1.node.svc.', 'd1.node.svc. 0 A 10.5.0.1', ...texts('d1.node.svc.')],
  }),
  named('52', 'a node never has a CNAME by itself', 'far.node.svc.', {}, 'CNAME'),
  named('53', 'a service at a host name', 'named.service.svc.', {
    answers: ['named.service.svc. 0 CNAME named.example.org.'],
  }),
  named('53', 'no host name beside an address', 'mixed.service.svc.', {
    answers: ['mixed.service.svc. 0 A 10.5.0.2'],
    additionals: texts('mixed.service.svc.'),
  }),
  named('53', 'not the name that was asked for', 'self.service.svc.', {
    answers: ['self.service.svc. 0 A 10.5.0.1'],
    additionals: texts('self.service.svc.'),
  }),
  named(
    '53',
    'metadata rather than a host name',
    'mixed.service.svc.',
    { answers: texts('mixed.service.svc.') },
    'TXT',
  ),
  named(
    '54 55 60',
    'where a service is',
    'web.service.svc.',
    { answers: webServices('web.service.svc.'), additionals: webGlue },
    'SRV',
  ),
  named(
    '54',
    'a target has the name of its node as it was registered',
    'upcase.service.svc.',
    { answers: ['upcase.service.svc. 0 SRV 1 1 5 Cap.node.dc1.svc.'], additionals: ['Cap.node.dc1.svc. 0 A 10.5.0.5'] },
    'SRV',
  ),
  named(
    '55',
    'an address of IPv6 is spelled out',
    'seven.service.svc.',
    {
      answers: ['seven.service.svc. 0 SRV 1 1 7 fd000000000000000000000000000007.addr.dc1.svc.'],
      additionals: ['fd000000000000000000000000000007.addr.dc1.svc. 0 AAAA fd00::7'],
    },
    'SRV',
  ),
  named(
    '56',
    'a host name stands beside the name of the node',
    'named.service.svc.',
    {
      answers: ['named.service.svc. 0 SRV 1 1 1 d2.node.dc1.svc.'],
      additionals: ['d2.node.dc1.svc. 0 CNAME named.example.org.'],
    },
    'SRV',
  ),
  named(
    '57',
    'an instance is told once for each port',
    'dup.service.svc.',
    {
      answers: ['dup.service.svc. 0 SRV 1 1 1 d2.node.dc1.svc.', 'dup.service.svc. 0 SRV 1 1 2 d2.node.dc1.svc.'],
      additionals: ['d2.node.dc1.svc. 0 A 10.5.0.2', 'd2.node.dc1.svc. 0 A 10.5.0.2'],
    },
    'SRV',
  ),
  named('58', 'metadata of a node', 'd1.node.svc.', { answers: texts('d1.node.svc.') }, 'TXT'),
  named('58', 'a node without metadata', 'd2.node.svc.', {}, 'TXT'),
  named(
    '59',
    'metadata is an answer to ANY',
    'd1.node.svc.',
    { answers: ['d1.node.svc. 0 A 10.5.0.1', ...texts('d1.node.svc.')] },
    'ANY',
  ),
  named('59', 'and to TXT, of a service as well', 'web.service.svc.', { answers: texts('web.service.svc.') }, 'TXT'),
  named(
    '61',
    'ANY of a service has no SRV',
    'web.service.svc.',
    { answers: [...web('web.service.svc.').answers, ...texts('web.service.svc.')] },
    'ANY',
    { tcp: true },
  ),
  named(
    '63',
    'the name of an address of a node',
    '1.0.5.10.in-addr.arpa.',
    { answers: ['1.0.5.10.in-addr.arpa. 0 PTR d1.node.dc1.svc.'] },
    'PTR',
  ),
  named(
    '64',
    'the name of an address of a service',
    '9.9.5.10.in-addr.arpa.',
    { answers: ['9.9.5.10.in-addr.arpa. 0 PTR web.service.svc.'] },
    'PTR',
  ),
  named('65', 'an address of nobody', '9.9.9.10.in-addr.arpa.', { head: 'SERVFAIL qr rd ra' }, 'PTR'),
  named(
    '66',
    'a name of an address asked for its authority',
    '1.0.5.10.in-addr.arpa.',
    { answers: ['1.0.5.10.in-addr.arpa. 0 PTR d1.node.dc1.svc.'], authorities: [soa] },
    'SOA',
  ),
  named(
    '66',
    'an address of IPv6',
    `6.${'0.'.repeat(27)}0.0.d.f.ip6.arpa.`,
    { answers: [`6.${'0.'.repeat(27)}0.0.d.f.ip6.arpa. 0 PTR d6.node.dc1.svc.`] },
    'PTR',
  ),
  named('70', 'a warning is no reason to leave an instance out', 'warns.service.svc.', {
    answers: ['warns.service.svc. 0 A 10.5.0.2'],
  }),
  named('70', 'nor is a critical check of another service', 'blue.web.service.svc.', {
    answers: ['blue.web.service.svc. 0 A 10.5.0.1'],
    additionals: texts('blue.web.service.svc.'),
  }),
  named('71', 'a node is found whatever its health', 'sick.node.svc.', { answers: ['sick.node.svc. 0 A 10.5.0.8'] }),
  ...(['A', 'SRV', 'ANY'] as const).map(
    (type): Fact => ({
      of: '74',
      says: `of thirty instances a plain client gets three records: ${type}`,
      ask: { name: 'many.service.svc.', type },
      said: counts(3),
    }),
  ),
  {
    of: '74',
    says: 'so does one that offers 512 bytes',
    ask: { name: 'many.service.svc.', edns: 512 },
    said: counts(3, 'NOERROR qr aa rd'),
  },
  {
    of: '75',
    says: 'one that offers more gets what fits',
    ask: { name: 'many.service.svc.', edns: 1232 },
    said: counts(30),
  },
  {
    of: '77',
    says: 'beside services that are left is nothing but where they are',
    ask: { name: 'many.service.svc.', type: 'SRV' },
    said: glueOnly,
  },
  {
    of: '77',
    says: 'beside addresses that are left is nothing',
    ask: { name: 'many.service.svc.' },
    said: (said) => equal(said.additionals, []),
  },
  {
    of: '78',
    says: 'at 4,096 bytes all are there',
    ask: { name: 'many.service.svc.', type: 'SRV', edns: 4096 },
    said: counts(30),
  },
  {
    of: '79',
    says: 'by TCP all are there',
    ask: { name: 'many.service.svc.', type: 'SRV', tcp: true },
    said: counts(30),
  },
  {
    of: '75 78',
    says: 'an answer with EDNS fits, OPT included',
    ask: { name: 'many.service.svc.', type: 'SRV', edns: 513 },
    said: atMost(513),
  },
  {
    of: '75 78',
    says: 'an answer of 1,232 bytes fits',
    ask: { name: 'many.service.svc.', type: 'SRV', edns: 1232 },
    said: atMost(1232),
  },
  {
    of: '81',
    says: 'names are compressed',
    ask: { name: 'many.service.svc.', type: 'SRV', tcp: true },
    said: atMost(2_600),
  },
  {
    of: '80',
    says: 'that some are not there is not said',
    ask: { name: 'many.service.svc.' },
    said: counts(3, 'NOERROR qr aa rd'),
  },
  named(
    '82',
    'EDNS is answered with its size',
    'foo.bar.node.svc.',
    { answers: ['foo.bar.node.svc. 0 A 10.5.0.4'], edns: 'udp: 1400' },
    'A',
    { edns: 1400 },
  ),
  named(
    '82',
    'and with the network of the client, for every network',
    'foo.bar.node.svc.',
    { answers: ['foo.bar.node.svc. 0 A 10.5.0.4'], edns: 'udp: 1400 192.0.2.0/24/0' },
    'A',
    { edns: 1400, subnet: '192.0.2.0/24' },
  ),
  named(
    '82',
    'for that one alone where a prepared query answers',
    'find.query.svc.',
    {
      answers: ['find.query.svc. 12 A 10.5.0.1'],
      additionals: texts('find.query.svc.', 12),
      edns: 'udp: 1400 192.0.2.0/24/24',
    },
    'A',
    { edns: 1400, subnet: '192.0.2.0/24' },
  ),
  named(
    '82',
    'and for every network where there is no answer',
    'nope.query.svc.',
    { ...unknown, edns: 'udp: 1400 192.0.2.0/24/0' },
    'A',
    { edns: 1400, subnet: '192.0.2.0/24' },
  ),
  named(
    '90 94',
    'nothing is to be kept by default',
    'svc.',
    { answers: [soa], authorities: [ns], additionals: nsGlue },
    'SOA',
  ),
  named(
    '92',
    'a prepared query has a time to live of its own',
    'find.query.svc.',
    {
      answers: ['find.query.svc. 12 SRV 1 10 80 d1.node.dc1.svc.'],
      additionals: ['d1.node.dc1.svc. 12 A 10.5.0.1', ...texts('d1.node.dc1.svc.', 12)],
    },
    'SRV',
  ),
  named('113', 'a name of the domain is nobody else’s', 'nope.svc.', unknown),
  named(
    'section 10',
    'a name with an underscore is found',
    'under_score.service.svc.',
    {
      answers: ['under_score.service.svc. 0 SRV 1 1 1 bad_name.node.dc1.svc.'],
      additionals: ['bad_name.node.dc1.svc. 0 A 10.5.0.9'],
    },
    'SRV',
  ),
  named(
    'section 11',
    'the servers are a service',
    'svc.service.svc.',
    { answers: ['svc.service.svc. 0 A 127.0.0.1'], additionals: ['svc.service.svc. 0 TXT "svc-network-segment="'] },
    'A',
  ),
  {
    of: '2 11',
    says: 'under an alias all is the same',
    ask: { name: 'web.service.consul.', type: 'SRV' },
    said: (said) => equal(said.answers.length, 2),
  },
]

/** Those of an agent whose settings of DNS are these. */
export const tunedSettings = {
  node_meta: { rack: 'r1' },
  domain: 'Tuned.Example',
  dns_config: {
    node_ttl: '7500ms',
    service_ttl: { '*': '5s', web: '30s', 'api-*': '20s', 'api-x*': '21s' },
    only_passing: true,
    a_record_limit: 4,
    udp_answer_limit: 20,
    enable_truncate: true,
    enable_additional_node_meta_txt: false,
    disable_compression: true,
    soa: { refresh: 1, retry: 2, expire: 3, min_ttl: 4 },
  },
}

const tuned = 'tuned.example.'
const tunedSoa = `${tuned} 4 SOA ns.${tuned} hostmaster.${tuned} <now> 1 2 3 4`
const tunedNs = [`${tuned} 7 NS node-a.node.dc1.${tuned}`]
const tunedGlue = [`node-a.node.dc1.${tuned} 7 A 127.0.0.1`]

export const tunedFacts: readonly Fact[] = [
  named('2 21', 'the configured domain is the only one', 'd1.node.svc.', { head: 'SERVFAIL qr rd' }),
  named(
    '4 38 94',
    'its authority is as configured, in lower case',
    tuned,
    { answers: [tunedSoa], authorities: tunedNs, additionals: tunedGlue },
    'SOA',
  ),
  named(
    '90',
    'a node lives as long as configured',
    `d1.node.${tuned}`,
    { answers: [`d1.node.${tuned} 7 A 10.5.0.1`, ...texts(`d1.node.${tuned}`, 7)] },
    'ANY',
  ),
  named('59', 'no metadata beside an answer', `d1.node.${tuned}`, { answers: [`d1.node.${tuned} 7 A 10.5.0.1`] }),
  named('90 93', 'a spelled address, in whole seconds', `0a050001.addr.${tuned}`, {
    answers: [`0a050001.addr.${tuned} 7 A 10.5.0.1`],
  }),
  named('90', 'name servers', tuned, { answers: tunedNs, additionals: tunedGlue }, 'NS'),
  named(
    '91',
    'the exact name wins',
    `web.service.${tuned}`,
    {
      answers: [`web.service.${tuned} 30 SRV 1 10 80 d1.node.dc1.${tuned}`],
      additionals: [`d1.node.dc1.${tuned} 30 A 10.5.0.1`],
    },
    'SRV',
  ),
  named('91', 'then the longest beginning', `api-x1.service.${tuned}`, {
    answers: [`api-x1.service.${tuned} 21 A 10.5.1.1`],
  }),
  named('91', 'a shorter one', `api-1.service.${tuned}`, { answers: [`api-1.service.${tuned} 20 A 10.5.1.1`] }),
  named('91', 'that of all', `zed.service.${tuned}`, { answers: [`zed.service.${tuned} 5 A 10.5.1.1`] }),
  named('92', 'a prepared query without one has that of its service', `dotted.find.query.${tuned}`, {
    answers: [`dotted.find.query.${tuned} 30 A 10.5.0.1`],
  }),
  named('70', 'a warning is a reason where only passing ones are wanted', `warns.service.${tuned}`, {
    head: nothing,
    authorities: [tunedSoa],
  }),
  named(
    '94 63',
    'the name of an address has none',
    '1.0.5.10.in-addr.arpa.',
    { answers: [`1.0.5.10.in-addr.arpa. 0 PTR d1.node.dc1.${tuned}`] },
    'PTR',
  ),
  {
    of: '73',
    says: 'so many instances at most, by TCP as well',
    ask: { name: `many.service.${tuned}`, tcp: true },
    said: counts(4, 'NOERROR qr aa rd'),
  },
  {
    of: '73',
    says: 'instances are counted, not their records',
    ask: { name: `many.service.${tuned}`, type: 'ANY', tcp: true },
    said: counts(8),
  },
  {
    of: '73',
    says: 'not where services are asked for',
    ask: { name: `many.service.${tuned}`, type: 'SRV', tcp: true },
    said: counts(30),
  },
  {
    of: '74 80',
    says: 'the limit of a plain client is 8 at the most, and its bytes are few',
    ask: { name: `many.service.${tuned}`, type: 'SRV' },
    said: fewer(8, 'NOERROR qr aa tc rd'),
  },
  {
    of: '76',
    says: 'what is cut fits uncompressed',
    ask: { name: `many.service.${tuned}`, type: 'SRV' },
    said: fewer(5),
  },
  {
    of: '81',
    says: 'names are written out where that is wanted',
    ask: { name: `many.service.${tuned}`, type: 'SRV', tcp: true },
    said: atLeast(3_000),
  },
  {
    of: '80',
    says: 'what the limit of instances leaves out is not said',
    ask: { name: `many.service.${tuned}` },
    said: counts(4, 'NOERROR qr aa rd'),
  },
]

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

function atMost(bytes: number): (said: Said) => void {
  return (said) => {
    if (said.bytes > bytes || said.answers.length < 2) equal([said.bytes, said.answers.length], `${bytes} at most`)
  }
}

function atLeast(bytes: number): (said: Said) => void {
  return (said) => {
    if (said.bytes < bytes) equal(said.bytes, `${bytes} at least`)
  }
}

function equal(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(actual)}, and not ${JSON.stringify(expected)}`)
}

function counts(answers: number, head?: string): (said: Said) => void {
  return (said) => {
    equal(said.answers.length, answers)
    if (head !== undefined) equal(said.head, head)
  }
}

function fewer(answers: number, head?: string): (said: Said) => void {
  return (said) => {
    if (said.answers.length === 0 || said.answers.length > answers) equal(said.answers.length, `1 to ${answers}`)
    if (head !== undefined) equal(said.head, head)
  }
}

/** One address for each service that is there. */
function glueOnly(said: Said): void {
  const targets = said.answers.map((line) => line.split(' ').at(-1))
  equal(said.additionals.map((line) => line.split(' ')[0]).sort(), targets.sort())
}
