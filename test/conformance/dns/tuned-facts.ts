import { atLeast, counts, type Fact, fewer, named, nothing, texts } from './fact.ts'

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
