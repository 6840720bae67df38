import { incarnationMax, nameBytesMax } from '../../../src/gossip/core/bounds.ts'
import type { Message, Versions } from '../../../src/gossip/core/messages.ts'
import type { GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import type { Incarnations } from './incarnations.ts'

type Alive = Extract<Message, { readonly kind: 'alive' }>
type Claimed = Pick<Alive, 'address' | 'meta' | 'versions'>

/** memberlist: `MetaMaxSize`. */
const metaBytesMost = 512
const hostLengthMost = 64
/** No name of this length is too long, in whatever characters. */
const nameLengthSound = nameBytesMax / 4

/** Whether one member takes the claims of others to be alive, and takes only those that it can use. */
export class ClaimWatch {
  readonly #law: Incarnations
  readonly #node: string

  constructor(law: Incarnations, node: string) {
    this.#law = law
    this.#node = node
  }

  /** Called after each step. */
  stepped(core: ObservedCore, event: GossipEvent): void {
    if (event.kind !== 'packet-received') return
    for (const message of event.messages) if (message.kind === 'alive') this.#heard(core, message)
  }

  /** Another member has a new incarnation. */
  changed({ options, members }: ObservedCore, name: string): void {
    const member = members.get(name)
    if (member !== undefined) this.#law.taken(this.#node, name, faultOf(options.versions, member))
  }

  #heard({ self, options, members }: ObservedCore, alive: Alive): void {
    const { node: name, incarnation, address, meta } = alive
    const isNumber = Number.isInteger(incarnation) && incarnation >= 0 && incarnation <= incarnationMax
    const isNamed = name.length > 0 && name.length <= nameLengthSound && name !== self.name
    if (!isNumber || !isNamed || faultOf(options.versions, alive) !== undefined) return
    const known = members.get(name)
    // A name that is taken may not move, and the pool may refuse an agent for what it says of itself.
    if (known !== undefined && (known.address.host !== address.host || known.address.port !== address.port)) return
    if (options.refuse?.([{ name, address, meta }]) !== undefined) return
    this.#law.claimed(this.#node, name, incarnation, known?.incarnation)
  }
}

function faultOf(own: Versions, { address: { host, port }, meta, versions }: Claimed): string | undefined {
  const isPlace = host.length > 0 && host.length <= hostLengthMost && port > 0 && port < 65_536
  if (!isPlace) return `the address ${host}:${port}`
  if (meta.length > metaBytesMost) return `${meta.length} bytes of metadata`
  return canSpeak(own, versions) ? undefined : `versions that do not fit: ${JSON.stringify(versions)}`
}

/** Each understands what the other speaks, in both layers. */
function canSpeak(one: Versions, other: Versions): boolean {
  const speaks = (min: number, max: number, ...spoken: readonly number[]): boolean =>
    spoken.every((version) => version >= min && version <= max)
  return (
    speaks(one.protocolMin, one.protocolMax, one.protocolSpoken, other.protocolSpoken) &&
    speaks(other.protocolMin, other.protocolMax, one.protocolSpoken, other.protocolSpoken) &&
    speaks(one.delegateMin, one.delegateMax, one.delegateSpoken, other.delegateSpoken) &&
    speaks(other.delegateMin, other.delegateMax, one.delegateSpoken, other.delegateSpoken)
  )
}
