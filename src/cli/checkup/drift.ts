import { compareText } from '../../base/bytes.ts'
import type { AskedAgent } from './agent-facts.ts'
import { askThem } from './agent-items.ts'
import type { Facts } from './facts.ts'
import { green, type Item, light } from './item.ts'

/** Settings that belong to one agent or one machine, by the names under which an agent shows them. */
const own =
  /^(Node(ID|Name|Meta)|Advertise|Bind|Client|Start?Join|RetryJoin|StartJoin|Bootstrap$|DataDir|PidFile|UI|Log|UnixSocket|Revision|Version|Services|Checks|Watches|Tagged|(Cert|Key|CA)(File|Path)$|DNSAddrs|HTTPS?Addrs|CLIRPC|Server(Name|Mode)$)|(Addrs?|AddrLAN|AddrWAN|Port|PortLAN|PortWAN)$/
/** Secrets are shown hidden, so that equal texts tell nothing; the others are second names of settings. */
const hidden = /Token$|^EncryptKey$|^SvcRaft/

/** Tags in the pool that tell one server from the others. */
const ownTags: readonly string[] = ['id', 'port', 'wan_join_port', 'build', 'bootstrap']

/** Settings in which servers differ though they should be equal: `raft_vsn: 2 at s1, 3 at s2`. */
export function drift(facts: Facts): Item {
  const tags = differences(
    facts.cluster.servers.map(({ name, tags: values }) => ({ name, values })),
    (key) => ownTags.includes(key),
  )
  const asked = facts.asked.filter(({ isServer }) => isServer)
  const settings = differences(
    asked.map(({ name, settings: values }) => ({ name, values })),
    (key) => own.test(key) || hidden.test(key),
  )
  const all = [...tags, ...settings]
  const remedy = 'configure all servers alike, and restart or reload those that differ'
  if (all.length > 0)
    return light('configuration', 'yellow', `servers are configured differently: ${all.join('; ')}`, remedy)
  const silent = facts.cluster.servers.filter(({ name }) => asked.every((agent: AskedAgent) => agent.name !== name))
  if (silent.length === 0) return green('configuration', 'all servers announce and show the same settings')
  const names = silent.map(({ name }) => name).join(', ')
  return light(
    'configuration',
    'unknown',
    `what servers announce to the pool agrees; the settings of ${names} are unknown`,
    askThem(facts),
  )
}

interface Configured {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** More differences than these are only counted. */
const namedMax = 8

function differences(agents: readonly Configured[], isOwn: (key: string) => boolean): readonly string[] {
  const keys = [...new Set(agents.flatMap(({ values }) => Object.keys(values)))].filter((key) => !isOwn(key))
  const found = keys.sort(compareText).flatMap((key) => {
    const values = agents.map(({ name, values: each }) => ({ name, text: shown(each[key]) }))
    const distinct = [...new Set(values.map(({ text }) => text))]
    if (distinct.length < 2) return []
    const groups = distinct.map((text) => {
      const names = values.filter((each) => each.text === text).map(({ name }) => name)
      return `${text} at ${names.join(', ')}`
    })
    return [`${key} is ${groups.join(' and ')}`]
  })
  const more = found.length - namedMax
  return more > 0 ? [...found.slice(0, namedMax), `and ${more} more`] : found
}

function shown(value: unknown): string {
  if (value === undefined) return 'not set'
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
