import { textOf, utf8 } from '../../src/base/bytes.ts'
import { Conductor } from '../cli/play/conductor.ts'
import { Face } from '../cli/play/face.ts'
import { playStatus } from '../cli/play/status.ts'
import { deferred } from '../platform/pure/deferred.ts'
import { Session } from '../play/session.ts'
import type { TabCluster } from '../play/tab-api.ts'
import { type LoadedScenario, usualSeed } from '../scenario/language/load.ts'
import type { Going } from './going.ts'
import { gzip, type TabMachine } from './machine.ts'
import { createWebPlatform } from './platform/platform.ts'

/** A cluster to play with, as `svc-sim play` serves it on a port. */
export async function beginSession(loaded: LoadedScenario, begin: TabCluster, machine: TabMachine): Promise<Going> {
  const { build, wallMs, after, onEnd } = machine
  const seed = begin.seed ?? usualSeed(loaded)
  const session = new Session({ loaded, seed, build, gzip, createPlatform: () => createWebPlatform(machine) })
  const conductor = new Conductor({
    session,
    host: { deferred, timers: { after } },
    wallMs,
    rate: 1,
    paused: begin.steps !== undefined,
    // No request comes in by a port, so none is lost.
    onGoneBack: () => undefined,
  })
  await session.begin()
  conductor.setPace({})
  conductor.run().catch((reason: unknown) => onEnd(reason instanceof Error ? reason.message : String(reason)))
  const left = (begin.steps ?? 0) - session.events
  if (left > 0) void conductor.step({ events: left })
  const status = () =>
    playStatus({
      session,
      seed,
      lesson: begin.lesson,
      hasLessons: begin.hasLessons === true,
      build,
      pace: () => conductor.pace,
      requests,
      portsOf: () => undefined,
    })
  const face = new Face({ session, conductor, status })
  return {
    answer: async ({ method, path, body }) => {
      const answer = await face.handle({
        method,
        target: `/${path}`,
        headers: new Map(),
        body: utf8(body),
        remote: { host: 'tab', port: 0 },
        onAbort: () => undefined,
      })
      const { status: code, body: said } = answer
      return { status: code, text: typeof said === 'string' ? said : said instanceof Uint8Array ? textOf(said) : '' }
    },
  }
}

const requests = (): { readonly taken: number; readonly waiting: number } => ({ taken: 0, waiting: 0 })
