import { describe, expect, it } from 'vitest'
import type { UdpSocket } from '../../../src/env/net.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import type { CoreChange } from '../../../src/gossip/core/types.ts'
import { Packets } from '../../../src/gossip/driver/packets.ts'
import { Sealing } from '../../../src/gossip/driver/sealing.ts'
import { Keyring } from '../../../src/gossip/keyring.ts'
import type { PoolEncryption } from '../../../src/gossip/pool.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'

const address = { host: '10.0.0.2', port: 8301 }
const ping: Message = { kind: 'ping', sequence: 1, node: 'b' }

function change(kind: CoreChange['kind'], protocolMax: number): CoreChange {
  const versions = {
    protocolMin: 1,
    protocolMax,
    protocolSpoken: 2,
    delegateMin: 2,
    delegateMax: 5,
    delegateSpoken: 4,
  }
  return { kind, member: { name: 'b', address, meta: new Uint8Array(0), versions, status: 'alive' } }
}

/** Packets with a socket that keeps the first byte of each, and what was counted. */
function setUp(encryption?: PoolEncryption) {
  const sent: number[] = []
  const datagrams: Uint8Array[] = []
  const counts = new Map<string, number>()
  const socket: UdpSocket = {
    local: { host: '10.0.0.1', port: 8301 },
    send: (_, bytes) => {
      sent.push(bytes[0] as number)
      datagrams.push(bytes)
    },
    close: () => undefined,
  }
  let nowMs = 0
  const env = {
    clock: { wallMs: () => nowMs, monoMs: () => nowMs },
    log: { write: () => undefined, enabled: () => true, follow: () => ({ recent: [], close: () => undefined }) },
    metrics: {
      count: (name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by),
      gauge: () => undefined,
      sample: () => undefined,
      snapshot: () => [],
    },
  }
  const packets = new Packets(env, new Sealing(hostCrypto, encryption))
  const wait = (ms: number): void => {
    nowMs += ms
  }
  return { packets, socket, sent, datagrams, counts, wait }
}

describe('packets', () => {
  it('carry a checksum, except to a member that is known to be too old for one', () => {
    const { packets, socket, sent } = setUp()
    const send = () => packets.send(socket, address, [ping])
    send()
    packets.learn([change('joined', 4)])
    send()
    packets.learn([change('updated', 5)])
    send()
    packets.learn([change('updated', 3)])
    send()
    packets.learn([change('reaped', 3)])
    send()
    expect(sent).toEqual([12, 0, 12, 0, 12])
  })

  it('that cannot be read are dropped and counted, as are messages of which we make nothing', () => {
    const { packets, counts } = setUp()
    expect(packets.receive(address, Uint8Array.of(99))).toEqual([])
    expect(packets.receive(address, Uint8Array.of(8, 11, 0x80))).toEqual([])
    expect(Object.fromEntries(counts)).toEqual({
      'memberlist.udp.received': 4,
      'gossip.dropped.packet': 1,
      'gossip.ignored.message': 1,
    })
  })
})

const [oldKey, newKey] = ['cg8StVXbQJ0gPvMd9o7yrg==', 'pUqJrVyVRj5jsiYEkM/tFQYfWyJIv4s3XkvDwy7Cu5s=']

function keyed(keys: readonly string[], more: Partial<PoolEncryption> = {}) {
  const keyring = Keyring.from(keys)
  if (!keyring.ok) throw new Error(keyring.error)
  return setUp({ keyring: keyring.value, verifyIncoming: true, verifyOutgoing: true, ...more })
}

function sentBy(side: ReturnType<typeof setUp>): Uint8Array {
  side.packets.send(side.socket, address, [ping])
  return side.datagrams.at(-1) as Uint8Array
}

describe('encrypted packets', () => {
  it('are read with any key of the ring, and sent with the first', () => {
    const before = keyed([oldKey])
    const during = keyed([newKey, oldKey])
    const after = keyed([newKey])
    expect(during.packets.receive(address, sentBy(before))).toEqual([ping])
    expect(after.packets.receive(address, sentBy(during))).toEqual([ping])
    expect(before.packets.receive(address, sentBy(during))).toEqual([])
    expect(before.counts.get('gossip.dropped.sealed')).toBe(1)
  })

  it('are the only ones that are heard, unless a pool is on its way to encryption', () => {
    const plain = setUp()
    expect(keyed([oldKey]).packets.receive(address, sentBy(plain))).toEqual([])
    expect(keyed([oldKey], { verifyIncoming: false }).packets.receive(address, sentBy(plain))).toEqual([ping])
    const silent = keyed([oldKey], { verifyOutgoing: false })
    expect(plain.packets.receive(address, sentBy(silent))).toEqual([ping])
    expect(plain.packets.receive(address, sentBy(keyed([oldKey])))).toEqual([])
  })

  it('leave room for what encryption adds', () => {
    expect(setUp().packets.roomBytes - keyed([oldKey]).packets.roomBytes).toBe(29)
    expect(sentBy(keyed([oldKey])).length - sentBy(setUp()).length).toBe(29)
  })
})
