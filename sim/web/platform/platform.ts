import { deferred } from '../../platform/pure/deferred.ts'
import { PathValidation } from '../../platform/pure/path-validation.ts'
import type { Platform, TurnState } from '../../world/platform.ts'
import { openAesGcm, sealAesGcm } from './aes-gcm.ts'
import { certificateReader } from './certificates.ts'
import { runningSha256, sha1, sha256 } from './hashes.ts'
import { ecKey, readSigningKey, rsaKey, signingKey, verifier } from './signing-keys.ts'

/** What differs between a browser and a test of this platform in Node. */
export interface WebMachine {
  readonly pump: Platform['pump']
  /** Calls `take` with each rejection that no code handled, until it is closed. `take` is true if it is done with. */
  readonly onUnhandled: (take: (reason: unknown) => boolean) => () => void
}

/**
 * A browser reports no promises, so every turn counts as one that touched promises, and its jobs are drained before the
 * next one.
 */
class DrainedTurn implements TurnState {
  holder: string | undefined = undefined

  get touched(): boolean {
    return true
  }

  set touched(_: boolean) {}
}

/**
 * A browser's thread, for one run: the platform of Node without Node. It computes the same as the one of `sim/platform`,
 * so a run has the same trace. It has no tripwire: code that reads the real clock is found where the tests run, in
 * Node. And it does not follow the waits for promises, of which a browser says nothing.
 */
export function createWebPlatform({ pump, onUnhandled }: WebMachine): Platform {
  const turn = new DrainedTurn()
  let unhandled: { readonly reason: unknown } | undefined
  const stop = onUnhandled((reason) => {
    if (turn.holder === undefined) return false
    unhandled ??= { reason }
    return true
  })
  const verify = verifier()
  const paths = new PathValidation(certificateReader(verify))
  return {
    turn,
    // No browser opens the web interface of an agent in a tab: its ports are simulated.
    shipped: { file: () => undefined },
    pump,
    deferred,
    sha256,
    sha1,
    runningSha256,
    sealAesGcm,
    openAesGcm,
    certificateProblem: (check) => paths.certificateProblem(check),
    identityProblem: (tls) => paths.identityProblem(tls),
    peerOf: (presented) => paths.peerOf(presented),
    signingKey,
    ecKey,
    rsaKey,
    verify,
    readSigningKey,
    followWaits: () => undefined,
    takeUnhandled: () => {
      const taken = unhandled
      unhandled = undefined
      return taken
    },
    close: stop,
  }
}
