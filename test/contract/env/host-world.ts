import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHostEnv } from '../../../src/host/env.ts'
import { freePort, ownLoopback } from '../../tools/own-ports.ts'
import type { TlsMaterial } from '../host/tls-material.ts'
import type { LawWorld } from './law-world.ts'

/**
 * Two Envs on one loopback address, which no other test uses: a port that a law closes stays free, without a listener.
 */
export function hostWorld(tls: TlsMaterial | undefined): LawWorld {
  return {
    look: async (law) => {
      const [env, peer] = [quiet(), quiet()]
      const directory = mkdtempSync(join(tmpdir(), 'svc-law-'))
      const [host, port] = [ownLoopback, await freePort()]
      try {
        await law({ env, peer, host, peerHost: host, port, directory, fullFile: async () => fullDevice(), tls })
      } finally {
        env.close()
        peer.close()
        rmSync(directory, { recursive: true })
      }
    },
    // The power of the machine that runs the tests cannot be cut.
    crash: undefined,
  }
}

function quiet() {
  return createHostEnv({ logSink: () => undefined, logLevel: 'error' })
}

/** A device of Linux to which every write fails for want of room. */
function fullDevice(): string | undefined {
  const path = '/dev/full'
  return statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() === true ? path : undefined
}
