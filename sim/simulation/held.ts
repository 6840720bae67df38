import { endpointText } from '../../src/env/net.ts'
import type { Boot } from '../world/boot.ts'
import type { Kernel } from '../world/kernel.ts'
import { SimTcpListener } from '../world/network/tcp-listener.ts'
import { SimTcpStream } from '../world/network/tcp-stream.ts'
import { SimUdpSocket } from '../world/network/udp-socket.ts'
import { TimerEvent } from '../world/timer-event.ts'

/** What a process has open: files, connections that their peers have ended, and sockets; each with when that began. */
export function heldBy(process: Boot | undefined) {
  const parts = [...(process?.parts ?? [])]
  const streams = parts.filter((part) => part instanceof SimTcpStream)
  return {
    files: [...(process?.files ?? [])].map(({ path, openedUs }) => ({ what: path, sinceUs: openedUs })),
    ended: streams.flatMap(({ remote, endedByPeerUs: sinceUs }) =>
      sinceUs === undefined ? [] : [{ what: `${remote.host}:${remote.port}`, sinceUs }],
    ),
    sockets: parts.flatMap((part) =>
      part instanceof SimTcpListener || part instanceof SimUdpSocket ? [`${part.local.host}:${part.local.port}`] : [],
    ),
  }
}

/**
 * What a process would leave behind if it exited now. Without what no code of the agent can take back:
 * - operations of Env that are under way (a dial, a request over HTTP, a disk operation, a child process), each of which
 *   ends by its own time limit, and the news that a closed stream is closed;
 * - what Env does by itself, such as the timers and connections of its HTTP server;
 * - requests over HTTP whose failure is on its way to the connection, which takes turns of its own;
 * - a promise that never settles: the world does not hold it, and nothing of it runs. If it waits for a time, it has a
 *   timer.
 */
export function leftBy({ queue, nowUs }: Kernel, process: Boot | undefined) {
  const { files, sockets } = heldBy(process)
  const parts = [...(process?.parts ?? [])]
  const streams = parts.filter((part) => part instanceof SimTcpStream)
  const timers = queue.live().filter((event) => event instanceof TimerEvent)
  return {
    files,
    sockets,
    connections: streams
      .filter((stream) => process?.ofHttp.has(stream) === false)
      .map((stream) => endpointText(stream.remote)),
    timers: timers
      .filter(({ boot, setBy }) => boot === process && setBy === 'agent')
      .map(({ waitsFor, timeUs }) => ({ waitsFor, dueInMs: (timeUs - nowUs) / 1000 })),
  }
}
