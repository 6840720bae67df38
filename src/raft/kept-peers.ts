import { utf8 } from '../base/bytes.ts'
import type { Env } from '../env/env.ts'
import type { Configuration } from './core/types.ts'
import { placeFile } from './log/disk-steps.ts'
import { diskFailureText } from './log/open-failure.ts'
import { peersName } from './outage.ts'

/**
 * The list of addresses that releases before 0.7 kept in `peers.json` all the time. Here nothing reads it: it is what a
 * later release finds when it starts for the first time, and must not take for a recovery. Spec: RFT-015.
 */
export class KeptPeers {
  readonly #env: Pick<Env, 'disk' | 'log' | 'detach'>
  readonly #directory: string
  #wanted: Configuration | undefined
  #writing = false

  constructor(env: Pick<Env, 'disk' | 'log' | 'detach'>, directory: string) {
    this.#env = env
    this.#directory = directory
  }

  /** Writes it, and after that only the newest of what came meanwhile. */
  keep(configuration: Configuration): void {
    this.#wanted = configuration
    if (this.#writing) return
    this.#writing = true
    this.#env.detach(this.#write())
  }

  async #write(): Promise<void> {
    while (this.#wanted !== undefined) {
      const text = JSON.stringify(this.#wanted.servers.map(({ address }) => address))
      this.#wanted = undefined
      const placed = await placeFile(this.#env.disk, this.#directory, peersName, utf8(text))
      if (placed.ok) continue
      this.#env.log.write('warn', 'raft', 'peers.json is not kept', { why: diskFailureText(placed.error) })
    }
    this.#writing = false
  }
}
