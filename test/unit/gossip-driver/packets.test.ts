import { describe, expect, it } from 'vitest'
import type { UdpSocket } from '../../../src/env/net.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import type { CoreChange } from '../../../src/gossip/core/types.ts'
import { Packets } from '../../../src/gossip/driver/packets.ts'

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
function setUp() {
  const sent: number[] = []
  const counts = new Map<string, number>()
  const socket: UdpSocket = {
    local: { host: '10.0.0.1', port: 8301 },
    send: (_, bytes) => sent.push(bytes[0] as number),
    close: () => undefined,
  }
  const packets = new Packets({
    log: { write: () => undefined, enabled: () => true },
    metrics: {
      count: (name, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by),
      gauge: () => undefined,
      sample: () => undefined,
    },
  })
  return { packets, socket, sent, counts }
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
    expect(packets.receive(address, Uint8Array.of(8, 4, 0x80))).toEqual([])
    expect(Object.fromEntries(counts)).toEqual({
      'memberlist.udp.received': 4,
      'gossip.dropped.packet': 1,
      'gossip.ignored.message': 1,
    })
  })
})
