import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { Endpoint, ListenFailure, TcpListener, TcpStream, UdpSocket } from '../../env/net.ts'

/** If any free port will do, the port that UDP got may be in use for TCP: number of further tries then. */
const freePortTries = 16

/** One port for packets and streams alike. */
export interface Ports {
  readonly local: Endpoint
  readonly udp: UdpSocket
  readonly listener: TcpListener
}

export interface PortUse {
  onDatagram(from: Endpoint, bytes: Uint8Array): void
  onStream(stream: TcpStream): void
}

/** Takes the port for both, or for neither. Port 0 stands for any free port. */
export async function openPorts(
  env: Pick<Env, 'udp' | 'tcp'>,
  at: Endpoint,
  use: PortUse,
): Promise<Result<Ports, ListenFailure>> {
  for (let tries = at.port === 0 ? freePortTries : 1; ; tries--) {
    const udp = await env.udp.bind(at, (from, bytes) => use.onDatagram(from, bytes))
    if (!udp.ok) return udp
    const { local } = udp.value
    const listener = await env.tcp.listen(local, (stream) => use.onStream(stream))
    if (listener.ok) return ok({ local, udp: udp.value, listener: listener.value })
    udp.value.close()
    if (tries <= 1 || listener.error.kind !== 'address-in-use') return err(listener.error)
  }
}
