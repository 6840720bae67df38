import { err, ok, type Result } from '../../src/base/result.ts'
import type { Endpoint, ListenFailure, Udp, UdpSocket } from '../../src/env/net.ts'
import type { Boot } from '../world/boot.ts'
import { type DatagramUse, SimUdpSocket } from '../world/network/udp-socket.ts'
import type { Machine } from './machine.ts'
import { addressProblem, listenDelayUs } from './tcp.ts'

export class SimUdp implements Udp {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  bind(at: Endpoint, onDatagram: DatagramUse): Promise<Result<UdpSocket, ListenFailure>> {
    const { kernel, network, host } = this.#machine
    if (!kernel.enter(this.#boot)) return kernel.never()
    return kernel.answer(this.#boot, listenDelayUs, 'udp bind', (): Result<UdpSocket, ListenFailure> => {
      const problem = addressProblem(at)
      if (problem !== undefined) return err({ kind: 'io', at, message: problem })
      const bound = SimUdpSocket.bind(kernel, network, host, this.#boot, at, onDatagram)
      return bound instanceof SimUdpSocket ? ok(bound) : err(bound)
    })
  }
}
