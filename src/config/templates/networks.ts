import { contains, type Ip, parseNetwork } from './ip.ts'

/** Addresses by what they are for, by the number of the RFC that says so. */
const networksOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['1112', ['224.0.0.0/4']],
  ['1918', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']],
  ['2544', ['198.18.0.0/15']],
  ['3927', ['169.254.0.0/16']],
  ['4193', ['fc00::/7']],
  ['4291', ['::/128', '::1/128', '::ffff:0:0/96', 'fe80::/10', 'ff00::/8']],
  ['5737', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24']],
  ['6598', ['100.64.0.0/10']],
  [
    '6890',
    [
      ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
      ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
      ...['198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
      ...['::1/128', '::/128', '64:ff9b::/96', '::ffff:0:0/96', '100::/64', '2001::/23', '2001:db8::/32'],
      ...['2002::/16', 'fc00::/7', 'fe80::/10'],
    ],
  ],
])

/** RFC 6890, tables 1 to 26, column Forwardable; and what is sent to many. */
const notForwardable = [
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '198.51.100.0/24'],
  ...['203.0.113.0/24', '240.0.0.0/4', '224.0.0.0/4'],
  ...['::1/128', '::/128', '::ffff:0:0/96', '2001:10::/28', '2001:db8::/32', 'fe80::/10', 'ff00::/8'],
]

export function knownRfcs(): readonly string[] {
  return [...networksOf.keys()]
}

/** Undefined where the number is not one that is known. */
export function isOfRfc(number: string, ip: Ip): boolean | undefined {
  const networks = networksOf.get(number)
  return networks === undefined ? undefined : within(networks, ip)
}

export function isForwardable(ip: Ip): boolean {
  return !within(notForwardable, ip)
}

function within(networks: readonly string[], ip: Ip): boolean {
  return networks.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && contains(network, ip)
  })
}
