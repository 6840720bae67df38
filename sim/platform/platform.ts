import { promiseHooks } from 'node:v8'
import { shippedNames } from '../../src/env/shipped.ts'
import { openAesGcm, sealAesGcm } from '../../src/native/aes-gcm.ts'
import { runningSha256, sha1, sha256 } from '../../src/native/hash.ts'
import { shippedFiles } from '../../src/native/shipped-files.ts'
import { verifier } from '../../src/native/verifying.ts'
import type { Platform, TurnState } from '../world/platform.ts'
import { readCertificate } from './certificates.ts'
import { pump } from './drain.ts'
import { deferred } from './pure/deferred.ts'
import { PathValidation } from './pure/path-validation.ts'
import { ecKey, readSigningKey, rsaKey, signingKey } from './signing-keys.ts'
import { Tripwire } from './tripwire.ts'
import { UnhandledRejections } from './unhandled.ts'
import { followWaits } from './waits.ts'

const shipped = shippedFiles()

/**
 * The real machine, for one run. A promise that is created or settled in a turn marks the turn as one to be drained,
 * whatever code created it: an async function that does not wait for its Env still continues after the turn.
 */
export function createPlatform(): Platform {
  const turn: TurnState = { holder: undefined, touched: false }
  const immediate = setImmediate
  const touch = (): void => {
    turn.touched = true
  }
  const stopHook = promiseHooks.createHook({ init: touch, settled: touch })
  const unhandled = new UnhandledRejections(turn)
  const tripwire = new Tripwire(turn)
  const paths = new PathValidation(readCertificate)
  const follows: (() => void)[] = []
  // Files cannot be opened within a turn.
  for (const name of shippedNames) shipped.file(name)
  return {
    turn,
    shipped,
    pump: (step, pause) => pump(step, immediate, pause),
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
    verify: verifier(),
    readSigningKey,
    followWaits: (begin, continues) => void follows.push(followWaits(turn, begin, continues)),
    takeUnhandled: () => unhandled.take(),
    close: () => {
      tripwire.close()
      unhandled.close()
      stopHook()
      for (const stop of follows) stop()
    },
  }
}
