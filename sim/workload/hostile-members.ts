import { z } from 'zod'
import type { Env } from '../../src/env/env.ts'
import type { Endpoint, UdpSocket } from '../../src/env/net.ts'
import { packetBytesDefault } from '../../src/gossip/core/bounds.ts'
import type { Message } from '../../src/gossip/core/messages.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'
import { decodePacket } from '../../src/gossip/wire/packet-decoder.ts'
import { lanPort } from '../cluster/node-identity.ts'
import { durationRange, selector } from '../notation/fields.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { drawnMs } from './drawn-pause.ts'
import { hostilePlace, hostileWord, type Surroundings } from './hostile-words.ts'
import { workloadKind } from './kind.ts'

/** One packet in this many is garbled after encoding. */
const garbledOneIn = 8
/** Claims about members. */
const claims: ReadonlySet<Message['kind']> = new Set(['alive', 'suspect', 'dead', 'leave-intent', 'join-intent'])
/** Maximum number of messages in one packet. */
const wordsMax = 4

export interface HostilePlan {
  readonly name: string
  readonly everyMs: { readonly min: number; readonly max: number }
}

export interface HostileWorld {
  readonly decisions: Decisions
  /** The running agents to which it sends. */
  readonly agents: () => Surroundings['agents']
  /** Reports that it takes part in the pool, or no longer does. */
  readonly cameOrWent: (what: 'stranger came' | 'stranger went', node: string) => void
}

/**
 * A member of the pool that sends messages which no member may send, in packets that any host of the network could
 * send: extreme numbers, invalid coordinates, unusual names, answers for addresses outside the pool. It answers pings,
 * so that it remains a member.
 */
export class HostileMember {
  readonly #env: Env
  readonly #plan: HostilePlan
  readonly #world: HostileWorld
  readonly #self: Surroundings['self']
  readonly #elsewhere: Endpoint
  readonly #encoder = new PacketEncoder()
  #socket: UdpSocket | undefined
  #answers = 0
  #round = 0

  constructor(env: Env, host: string, plan: HostilePlan, world: HostileWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#self = { name: `𝔡-${plan.name}`, address: { host, port: lanPort } }
    this.#elsewhere = { host, port: lanPort + 1 }
  }

  start(): void {
    if (this.#socket !== undefined) return
    const round = ++this.#round
    this.#world.cameOrWent('stranger came', this.#plan.name)
    this.#env.detach(this.#open(round))
  }

  stop(): void {
    this.#round++
    this.#socket?.close()
    this.#socket = undefined
    this.#world.cameOrWent('stranger went', this.#plan.name)
  }

  async #open(round: number): Promise<void> {
    const bound = await this.#env.udp.bind(this.#self.address, (from, bytes) => this.#heard(from, bytes))
    if (!bound.ok) return
    if (this.#round !== round) return bound.value.close()
    this.#socket = bound.value
    this.#speak(round, 1)
  }

  /** It answers every ping, for any name, each time with another coordinate. */
  #heard(from: Endpoint, bytes: Uint8Array): void {
    const packet = decodePacket(bytes)
    for (const message of packet.ok ? packet.value.messages : []) {
      if (message.kind !== 'ping') continue
      const draws = this.#world.decisions.draws('hostile answer', this.#plan.name, ++this.#answers)
      this.#send(from, [{ kind: 'ack', sequence: message.sequence, payload: hostilePlace(draws) }])
    }
  }

  #speak(round: number, nth: number): void {
    const draws = this.#world.decisions.draws('hostile', this.#plan.name, round, nth)
    this.#env.timers.after(drawnMs(draws, this.#plan.everyMs), () => {
      if (this.#round !== round) return
      this.#say(draws)
      this.#speak(round, nth + 1)
    })
  }

  #say(draws: Draws): void {
    const agents = this.#world.agents()
    const to = draws.oneOf(agents, ({ name }) => name)
    if (to === undefined) return
    const around = { self: this.#self, elsewhere: this.#elsewhere, agents }
    const messages = Array.from({ length: 1 + draws.below(wordsMax) }, () => hostileWord(around, draws))
    if (draws.below(garbledOneIn) > 0) return this.#send(to.address, messages)
    // One byte more or fewer could turn such a claim into one that others must believe.
    const harmless = messages.filter(({ kind }) => !claims.has(kind))
    if (harmless.length > 0) this.#send(to.address, harmless, draws)
  }

  #send(to: Endpoint, messages: readonly Message[], garbledBy?: Draws): void {
    const options = { budget: packetBytesDefault, checksum: garbledBy === undefined }
    for (const packet of this.#encoder.encode(messages, options)) {
      if (garbledBy !== undefined) {
        const at = garbledBy.below(packet.length)
        packet[at] = garbledBy.below(256)
      }
      this.#socket?.send(to, garbledBy === undefined ? packet : packet.slice())
    }
  }
}

const group = z.strictObject({
  at: selector.describe('The agents to which it sends: one of them each time.'),
  every: durationRange.default({ min: 100, max: 600 }).describe('Between two packets.'),
})

export const hostiles = workloadKind({
  names: [/^[a-z][a-z0-9-]*$/, 'hostile members are named with small letters, digits and -'],
  group,
  text: 'Hostile members of the pool: they send extreme numbers, invalid coordinates and forged relays.',
  isLast: true,
  crews: [
    {
      machine: 'hostiles',
      open: ({ at, every }, { name, env, host, run }) => {
        const of = (node: string) => run.checksOf(run.cluster.datacenterOf(node))
        const address = (node: string) => ({ host: run.cluster.identityOf(node).host, port: lanPort })
        return new HostileMember(
          env,
          host,
          { name, everyMs: every },
          {
            decisions: run.simulation.decisions,
            agents: () =>
              run
                .select(at)
                .filter((node) => run.cluster.isRunning(node))
                .map((node) => ({ name: node, address: address(node) })),
            cameOrWent: (what, node) => {
              const [any] = run.cluster.nodeNames
              if (any !== undefined) of(any).tell(what, { node })
            },
          },
        )
      },
    },
  ],
})
