import { beforeEach, describe, expect, it } from 'vitest'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { Packets } from '../../../src/gossip/driver/packets.ts'
import { Sealing } from '../../../src/gossip/driver/sealing.ts'
import { Keyring } from '../../../src/gossip/keyring.ts'
import { PacketEncoder } from '../../../src/gossip/wire/packet.ts'
import { seal } from '../../../src/gossip/wire/sealed.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { outermostBomb, packetBomb } from '../gossip-wire/bombs.ts'
import { compressed, wrapped } from '../gossip-wire/compress.ts'
import { ManualWorld } from './manual-world.ts'

const from = { host: '10.0.0.2', port: 8301 }
const ping: Message = { kind: 'ping', sequence: 1, node: 'b' }
const ack: Message = { kind: 'ack', sequence: 7, payload: new Uint8Array(130).fill(3) }
const suspect: Message = { kind: 'suspect', incarnation: 2, node: 'c', from: 'a' }

let world: ManualWorld
let packets: Packets
beforeEach(() => {
  world = new ManualWorld()
  packets = new Packets(world, new Sealing(hostCrypto, undefined))
})

function packet(...messages: Message[]): Uint8Array {
  return new PacketEncoder().encode(messages, { budget: 60_000, checksum: false })[0] as Uint8Array
}

function packed(...messages: Message[]): Uint8Array {
  return wrapped(compressed(packet(...messages)))
}

/** The budget is used up at this moment. */
function flood(): void {
  const bomb = outermostBomb()
  for (let n = 0; n < 100; n++) packets.receive(from, bomb)
}

describe('packets that claim to be far larger than they are', () => {
  it('are not expanded at all within a compound, where the field has none', () => {
    const bomb = packetBomb()
    for (let n = 0; n < 333; n++) expect(packets.receive(from, bomb)).toEqual([])
    expect(world.counts.get('gossip.packet.expanded')).toBeUndefined()
    expect(world.counts.get('gossip.dropped.packet')).toBe(333)
  })

  it('are expanded within a budget for all sources together, and beyond it dropped and counted', () => {
    const bomb = outermostBomb()
    for (let n = 0; n < 3_330; n++) {
      packets.receive({ host: `10.0.${n >> 8}.${n & 255}`, port: 8301 }, bomb)
      world.wait(3)
    }
    const [budgetBytes, seconds] = [1 << 20, 9.99]
    const expanded = world.counts.get('gossip.packet.expanded') ?? 0
    expect(expanded / 4).toBeGreaterThan(budgetBytes / 4)
    expect(expanded / 4).toBeLessThan(budgetBytes + seconds * 2_048_000)
    expect(world.counts.get('gossip.dropped.compressed')).toBeGreaterThan(2_500)
  })

  it('leave probes and acknowledgements alone, compressed or not, alone or before others', () => {
    flood()
    expect(packets.receive(from, packet(ping))).toEqual([ping])
    expect(packets.receive(from, packet(suspect, ping))).toEqual([suspect, ping])
    expect(packets.receive(from, packed(ack))).toEqual([ack])
    const many = Array.from({ length: 250 }, (): Message => suspect)
    expect(packets.receive(from, packed(ack, ...many))).toEqual([ack])
    expect(packets.receive(from, packed(ping, suspect))).toEqual([ping])
    expect(packets.receive(from, packed(suspect, ping))).toEqual([])
  })

  it('are read again when the flood is over', () => {
    flood()
    expect(packets.receive(from, packed(suspect))).toEqual([])
    world.wait(1_000)
    expect(packets.receive(from, packed(suspect))).toEqual([suspect])
  })
})

describe('packets that no key opens', () => {
  const texts = Array.from({ length: 32 }, (_, n) => Buffer.alloc(16, n).toString('base64'))

  function setUp() {
    const keyring = Keyring.from(texts)
    if (!keyring.ok) throw new Error(keyring.error)
    let tries = 0
    const crypto = {
      ...hostCrypto,
      openAesGcm: (...args: Parameters<typeof hostCrypto.openAesGcm>) => {
        tries++
        return hostCrypto.openAesGcm(...args)
      },
    }
    const encryption = { keyring: keyring.value, verifyIncoming: true, verifyOutgoing: true }
    return { sealedPackets: new Packets(world, new Sealing(crypto, encryption)), triesSoFar: () => tries }
  }

  function sealedWith(at: number): Uint8Array {
    return seal(hostCrypto, Buffer.alloc(16, at), packet(ping), new Uint8Array(0))
  }

  it('are tried with one key each once the budget is spent, of however many there are', () => {
    const { sealedPackets, triesSoFar } = setUp()
    const noise = new Uint8Array(42_000).fill(1)
    for (let n = 0; n < 2_000; n++) expect(sealedPackets.receive(from, noise)).toEqual([])
    const budgetTries = (1 << 20) / (200 + noise.length / 32)
    expect(triesSoFar()).toBeLessThanOrEqual(2_000 + budgetTries + 1)
    expect(triesSoFar()).toBeGreaterThan(2_000 + budgetTries / 2)
  })

  it('do not keep those from being read that the key of the last one opens', () => {
    const { sealedPackets, triesSoFar } = setUp()
    expect(sealedPackets.receive(from, sealedWith(20))).toEqual([ping])
    for (let n = 0; n < 1_000; n++) sealedPackets.receive(from, new Uint8Array(42_000).fill(1))
    const before = triesSoFar()
    expect(sealedPackets.receive(from, sealedWith(20))).toEqual([ping])
    expect(triesSoFar() - before).toBe(1)
    expect(sealedPackets.receive(from, sealedWith(3))).toEqual([])
    world.wait(1_000)
    expect(sealedPackets.receive(from, sealedWith(3))).toEqual([ping])
  })
})
